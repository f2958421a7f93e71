import type { Reading } from '../../src/freshness/reading';

/** One branch of history: what was written on it, and where it left its parent. */
interface Timeline {
  readonly id: number;
  readonly parent: Timeline | undefined;
  readonly forkedAt: bigint;
  /** Ends of records in order; commits carry their number. */
  records: { readonly end: bigint; readonly seq: number | undefined }[];
}

export interface Server {
  readonly name: string;
  timeline: Timeline;
  standby: boolean;
  /** Written, or replayed. */
  position: bigint;
  flushed: bigint;
}

/**
 * A primary and its standbys as far as their write-ahead log goes: what is written, flushed,
 * replayed, lost in a crash and forked by a promotion. Without any clock.
 */
export class World {
  primary: Server;
  readonly replicas: readonly Server[];
  readonly old: Server[] = [];
  /** The number of the newest commit: the logical time. */
  time = 0;
  #timelines = 1;

  constructor(replicas: number) {
    const timeline = { id: 1, parent: undefined, forkedAt: 0n, records: [] };
    const server = (name: string, standby: boolean): Server => {
      return { name, timeline, standby, position: 0n, flushed: 0n };
    };
    this.primary = server('primary', false);
    this.replicas = Array.from({ length: replicas }, (_, i) => server(`replica${i + 1}`, true));
  }

  write(commit: boolean): void {
    const end = this.primary.position + 10n;
    const seq = commit ? ++this.time : undefined;
    this.primary.timeline.records.push({ end, seq });
    this.primary.position = end;
  }

  flush(): void {
    this.primary.flushed = this.primary.position;
  }

  /** Replays a part of what the server has been sent. */
  replay(server: Server, part: number): void {
    if (!server.standby) return;
    const { timeline } = server;
    // Of a timeline that nobody writes any more everything was sent.
    const sent = timeline === this.primary.timeline ? this.primary.flushed : undefined;
    const ends = timeline.records
      .map(({ end }) => end)
      .filter((end) => end > server.position && (sent === undefined || end <= sent));
    const steps = Math.ceil(part * ends.length);
    server.position = ends[steps - 1] ?? server.position;
  }

  /** A standby's crash restart: it shows less for a while. */
  fallBack(server: Server, part: number): void {
    const start = server.timeline.forkedAt;
    const lost = (Number(server.position - start) / 10) * part;
    if (server.standby) server.position -= BigInt(Math.floor(lost)) * 10n;
  }

  /** A crash of the primary: what was not flushed is gone. */
  crash(): void {
    const { timeline, flushed } = this.primary;
    timeline.records = timeline.records.filter(({ end }) => end <= flushed);
    this.primary.position = flushed;
  }

  /** A standby takes over; the primary goes on as if nothing had happened. */
  promote(server: Server): void {
    if (!server.standby) return;
    this.old.push(this.primary);
    const timeline: Timeline = {
      id: ++this.#timelines,
      parent: server.timeline,
      forkedAt: server.position,
      records: [{ end: server.position + 10n, seq: undefined }],
    };
    server.standby = false;
    server.timeline = timeline;
    server.position += 10n;
    server.flushed = server.position;
    this.primary = server;
  }

  /** The standby follows the primary of today, where it has not gone beyond the fork. */
  follow(server: Server): void {
    const fork = this.primary.timeline;
    if (!server.standby || server.timeline === fork) return;
    if (server.timeline === fork.parent && server.position <= fork.forkedAt) server.timeline = fork;
  }

  /** Whether someone who asks `server` sees the commit. */
  shows(server: Server, seq: number): boolean {
    let limit = server.position;
    for (let line: Timeline | undefined = server.timeline; line; line = line.parent) {
      if (line.records.some((record) => record.seq === seq && record.end <= limit)) return true;
      if (line.forkedAt < limit) limit = line.forkedAt;
    }
    return false;
  }

  /** Whether `server` has what is written up to a place on the primary's timeline. */
  has(server: Server, position: bigint): boolean {
    return server.timeline === this.primary.timeline && server.position >= position;
  }

  /** @param visible whether the role may see the timeline that a standby follows */
  reading(server: Server, visible = true): Reading {
    const { timeline, standby, position } = server;
    return {
      standby,
      system: 'one',
      server: server.name,
      direct: true,
      timeline: visible || !standby ? timeline.id : (timeline.parent?.id ?? timeline.id),
      position,
      flushed: standby ? undefined : server.flushed,
    };
  }
}
