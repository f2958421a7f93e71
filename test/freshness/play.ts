import { expect } from 'chai';
import { Progress, type Ticket } from '../../src/freshness/progress';
import type { Reading } from '../../src/freshness/reading';
import { World, type Server } from './world';

/** What can happen. What is named twice happens twice as often. */
export const KINDS = [
  ...['commit', 'commit', 'write', 'flush', 'sample', 'answer', 'hear', 'hear', 'ask', 'replay'],
  ...['probe primary', 'probe primary', 'probe', 'probe', 'probe', 'replay all', 'round'],
  ...['fall back', 'fall back unseen', 'crash', 'lose', 'lose primary', 'old primary', 'leave'],
  ...['promote', 'follow'],
] as const;

export interface Step {
  readonly kind: (typeof KINDS)[number];
  readonly node: number;
  readonly part: number;
}

interface Question {
  readonly node: string;
  readonly server: Server;
  readonly ticket: Ticket;
  readonly seq: number;
  reading?: Reading;
}

/** Drives {@link Progress} with the answers of a {@link World}, late and out of order. */
export class Play {
  readonly world = new World(2);
  readonly warnings: string[] = [];
  readonly progress: Progress;
  readonly names: string[];
  #questions: Question[] = [];

  constructor(private readonly visible = true) {
    this.names = this.world.replicas.map(({ name }) => name);
    this.progress = new Progress('primary', this.names, {
      warn: (message) => this.warnings.push(message),
      changed: () => undefined,
    });
  }

  step({ kind, node, part }: Step): void {
    const { world, progress } = this;
    const replica = world.replicas[node % world.replicas.length]!;
    switch (kind) {
      case 'commit':
      case 'write':
        return world.write(kind === 'commit');
      case 'flush':
        return world.flush();
      case 'replay':
        return world.replay(replica, part);
      case 'follow':
        return world.follow(replica);
      case 'replay all':
        world.flush();
        return world.replay(replica, 1);
      case 'round':
        world.write(true);
        world.flush();
        this.probe('primary', world.primary);
        for (const server of world.replicas) {
          world.replay(server, 1);
          this.probe(server.name, server);
        }
        return;
      case 'probe primary':
        return this.probe('primary', world.primary);
      case 'probe':
        return this.probe(replica.name, replica);
      case 'sample':
        return this.#send('primary', world.primary);
      case 'ask':
        return this.#send(replica.name, replica);
      case 'answer': {
        const question = this.#pick(part, (asked) => !asked.reading);
        if (question) question.reading = world.reading(question.server, this.visible);
        return;
      }
      case 'hear': {
        const question = this.#pick(part, (asked) => asked.reading !== undefined);
        if (question) this.#hear(question);
        return;
      }
      case 'fall back':
        world.fallBack(replica, part);
        return this.#lose(replica.name, replica);
      case 'fall back unseen':
        // Nobody had a connection to lose: only an answer shows it.
        world.fallBack(replica, part);
        this.#dropUnanswered(replica);
        return this.probe(replica.name, replica);
      case 'crash': {
        const { primary } = world;
        world.crash();
        // Noticed at once, or only by the next sample.
        if (part < 0.5) return this.#lose('primary', primary);
        this.#dropUnanswered(primary);
        return;
      }
      case 'lose':
        return progress.lost(replica.name);
      case 'lose primary':
        return progress.lost('primary');
      case 'promote':
        // Rare, or nothing else happens.
        if (part > 0.7) this.failover(replica);
        return;
      case 'old primary': {
        const old = world.old[0];
        if (!old) return;
        const ticket = progress.ticket('primary');
        const said = progress.primarySaid(world.reading(old), ticket, {
          seq: world.time,
          sentAt: 0,
        });
        expect(said, 'an old primary is not trusted').to.equal(false);
        return;
      }
      case 'leave':
        if (part > 0.7) {
          progress.remove(replica.name);
          progress.add(replica.name);
        }
    }
  }

  /** A failover, known from the first connection that leads to the new primary. */
  failover(server: Server): void {
    if (!server.standby) return;
    this.world.promote(server);
    const reading = this.world.reading(server);
    this.progress.primarySaid(reading, this.progress.ticket('primary'));
  }

  /** Asks and hears at once. */
  probe(name: string, server: Server): void {
    this.#send(name, server);
    const question = this.#questions.at(-1)!;
    question.reading = this.world.reading(server, this.visible);
    this.#hear(question);
  }

  /** Nothing is claimed that is not so. */
  check(): void {
    const { world, progress } = this;
    for (let seq = 1; seq <= world.time; seq++) {
      // What the primary itself does not have (any more) nobody can be asked for.
      if (!world.shows(world.primary, seq)) continue;
      for (const server of world.replicas) {
        if (world.shows(server, seq)) continue;
        if (progress.shows(server.name, seq)) {
          expect.fail(`${server.name} is said to show ${seq}, and does not`);
        }
        if (progress.expired(seq) && progress.serves(server.name)) {
          expect.fail(`${seq} has expired, and ${server.name} serves without it`);
        }
      }
    }
    this.#checkPlaces();
  }

  /** The same of places in the log, which other processes ask for. */
  #checkPlaces(): void {
    const { world, progress } = this;
    const { id, records } = world.primary.timeline;
    for (const { end: position } of records) {
      const proof = { system: 'one', timeline: id, position };
      for (const server of world.replicas) {
        if (world.has(server, position)) continue;
        if (progress.places.isPast(server.name, proof)) {
          expect.fail(`${server.name} is said to be past ${position}, and is not`);
        }
        if (progress.places.hasArrived(proof) && progress.serves(server.name)) {
          expect.fail(`${position} is said to be everywhere, and ${server.name} serves without it`);
        }
      }
    }
  }

  #send(node: string, server: Server): void {
    const ticket = this.progress.ticket(node);
    this.#questions.push({ node, server, ticket, seq: this.world.time });
  }

  #hear(question: Question): void {
    this.#questions = this.#questions.filter((other) => other !== question);
    const { node, ticket, seq, reading } = question;
    if (!reading) return;
    if (node === 'primary') this.progress.primarySaid(reading, ticket, { seq, sentAt: 0 });
    else this.progress.replicaSaid(node, reading, ticket);
  }

  #pick(part: number, which: (question: Question) => boolean): Question | undefined {
    const questions = this.#questions.filter(which);
    return questions[Math.min(Math.floor(part * questions.length), questions.length - 1)];
  }

  #lose(node: string, server: Server): void {
    this.#dropUnanswered(server);
    this.progress.lost(node);
  }

  /** A server that goes down answers nothing that it was asked before. */
  #dropUnanswered(server: Server): void {
    this.#questions = this.#questions.filter((asked) => asked.reading ?? asked.server !== server);
  }
}
