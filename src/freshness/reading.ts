/** What one probe of one node told, whatever the kind of evidence. */
export interface Reading {
  /** Whether the node is in recovery: a standby, not a primary. */
  readonly standby: boolean;
  /** Identifies the cluster; `undefined` where that is not looked at. */
  readonly system: string | undefined;
  /**
   * One run of one server: when it started, and its port. The address is left out, since a server
   * that is reached over IPv4 and IPv6 gives two.
   */
  readonly server: string;
  /** False when a proxy hands each statement to a connection of its choice. */
  readonly direct: boolean;
  /** Of a primary the one it writes; of a standby the newest one it is known to have come to. */
  readonly timeline: number | undefined;
  /** Of a primary how far it has written, of a standby how far it has replayed. */
  readonly position: bigint | undefined;
  /** Of a primary how much of that is safe on its disk, and so on its way to standbys. */
  readonly flushed: bigint | undefined;
}

export type Row = Readonly<Record<string, unknown>>;

/** The kind of evidence that a replica has a commit. All statements are complete and give one row. */
export interface Evidence {
  /** Asks the primary for a sample: how far it is when the statement runs. */
  sampleSql(): string;
  /** Asks any node who it is and how far it is; changes nothing. */
  readonly readSql: string;
  /** Makes the primary flush up to `position`, if it has not; `undefined` where nothing can be held up. */
  readonly flushSql: ((position: bigint) => string) | undefined;
  /** Run on the primary when a sample fails for a missing table. */
  readonly setupSql: string | undefined;
  /** Run on the primary at the end, to leave nothing behind. */
  readonly cleanupSql: string | undefined;
  /** Whether positions are bytes of the write-ahead log. */
  readonly countsBytes: boolean;
  /** What to do when the database refuses a statement. */
  readonly remedy: string;
  /** @throws Error when the row is not an answer to one of these statements. */
  parse(row: Row | undefined, processId: number | null | undefined): Reading;
}

/** The columns that say who answers, callable by every role on every node. */
export const WHO = `
  role.standby::text AS standby,
  pg_catalog.pg_backend_pid()::text AS process,
  extract(epoch FROM pg_catalog.pg_postmaster_start_time())::text AS started,
  coalesce(pg_catalog.inet_server_port()::text, '') AS port`;

/** Looks once: a promotion half way through a statement must not give half an answer each. */
export const FROM_ROLE = 'FROM (SELECT pg_catalog.pg_is_in_recovery() AS standby OFFSET 0) AS role';

/** Asks a node no more than who it is. */
export const ASK_WHO = `SELECT ${WHO} ${FROM_ROLE}`;

/** The part of a reading that {@link WHO} gives. */
export function whoIsIt(
  row: Row,
  processId: number | null | undefined,
): Pick<Reading, 'standby' | 'server' | 'direct'> {
  return {
    standby: text(row, 'standby') === 'true',
    server: `${text(row, 'started')}:${text(row, 'port')}`,
    direct: typeof processId !== 'number' || text(row, 'process') === String(processId),
  };
}

/** A column that must be there. */
export function text(row: Row, column: string): string {
  const value = optional(row, column);
  if (value === undefined) throw new Error(`a probe got no value for ${column}`);
  return value;
}

/** A column that may be NULL. */
export function optional(row: Row, column: string): string | undefined {
  const value = row[column];
  if (value === null || value === undefined) return undefined;
  if (typeof value === 'string') return value;
  throw new Error(`a probe got ${typeof value} for ${column}, not text`);
}
