import { expect } from 'chai';
import fc from 'fast-check';
import { Progress, type Ticket } from '../../src/freshness/progress';
import type { Reading } from '../../src/freshness/reading';
import { World, type Server } from './world';

const KINDS = [
  ...['commit', 'commit', 'write', 'flush', 'sample', 'answer', 'hear', 'hear', 'ask', 'replay'],
  ...['probe primary', 'probe primary', 'probe', 'probe', 'probe', 'replay all', 'round'],
  ...['fall back', 'fall back unseen', 'crash', 'lose', 'lose primary', 'old primary', 'leave'],
  ...['promote', 'follow'],
] as const;

interface Step {
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
class Play {
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

const steps = fc.array(
  fc.record({
    kind: fc.constantFrom(...KINDS),
    node: fc.nat(1),
    part: fc.double({ min: 0, max: 1, noNaN: true }),
  }),
  { minLength: 1, maxLength: 80, size: 'max' },
);

describe('Progress', () => {
  for (const visible of [true, false]) {
    it(`claims nothing that is not so, with timelines ${visible ? 'visible' : 'hidden'}`, () => {
      fc.assert(
        fc.property(steps, (list) => {
          const play = new Play(visible);
          for (const step of list) {
            play.step(step);
            play.check();
          }
        }),
        { numRuns: 2000 },
      );
    });
  }

  it('comes back to full use, whatever happened, once replicas have caught up', () => {
    fc.assert(
      fc.property(steps, (list) => {
        const play = new Play();
        const { world, progress } = play;
        for (const step of list) play.step(step);
        world.write(true);
        world.flush();
        play.probe('primary', world.primary);
        const following = world.replicas.filter((server) => {
          world.follow(server);
          return server.standby && server.timeline === world.primary.timeline;
        });
        for (const server of following) {
          world.replay(server, 1);
          play.probe(server.name, server);
          expect(progress.serves(server.name), `${server.name} serves`).to.be.true;
          expect(progress.shows(server.name, world.time), `${server.name} shows all`).to.be.true;
        }
        play.check();
        // Those on a dead branch, and the primary itself under its old name.
        const others = world.replicas.filter((server) => !following.includes(server));
        for (const server of others) play.probe(server.name, server);
        if (following.length > 0) expect(progress.expired(world.time)).to.be.true;
      }),
      { numRuns: 500 },
    );
  });

  describe('rule by rule', () => {
    let world: World;
    let progress: Progress;
    let changed: string[];
    let warnings: string[];

    beforeEach(() => {
      world = new World(2);
      changed = [];
      warnings = [];
      progress = new Progress('primary', ['replica1', 'replica2'], {
        warn: (message) => warnings.push(message),
        changed: (node) => changed.push(node),
      });
    });

    const first = () => world.replicas[0]!;
    const second = () => world.replicas[1]!;

    function commit(): number {
      world.write(true);
      world.flush();
      sample();
      return world.time;
    }

    function sample(reading: Partial<Reading> = {}): boolean {
      const told = { ...world.reading(world.primary), ...reading };
      return progress.primarySaid(told, progress.ticket('primary'), { seq: world.time, sentAt: 0 });
    }

    function ask(server: Server, reading: Partial<Reading> = {}) {
      const told = { ...world.reading(server), ...reading };
      return progress.replicaSaid(server.name, told, progress.ticket(server.name));
    }

    function catchUp(...servers: Server[]): void {
      for (const server of servers) {
        world.replay(server, 1);
        ask(server);
      }
    }

    it('an answer to a question of before a loss counts for nothing', () => {
      const seq = commit();
      world.replay(first(), 1);
      const ticket = progress.ticket('replica1');
      progress.lost('replica1');
      progress.replicaSaid('replica1', world.reading(first()), ticket);
      expect(progress.shows('replica1', seq)).to.equal(false);
      expect(progress.serves('replica1')).to.equal(false);
    });

    it('a question of before a replica left is none to the one that joins under its name', () => {
      progress.lost('replica1');
      const ticket = progress.ticket('replica1');
      const seq = commit();
      catchUp(first());
      const told = world.reading(first());
      progress.remove('replica1');
      progress.add('replica1');
      progress.lost('replica1');
      expect(progress.replicaSaid('replica1', told, ticket).fit).to.equal(false);
      expect(progress.shows('replica1', seq)).to.equal(false);
    });

    it('a sample asked for before a loss counts for nothing', () => {
      world.write(true);
      const ticket = progress.ticket('primary');
      const told = world.reading(world.primary);
      progress.lost('primary');
      progress.primarySaid(told, ticket, { seq: world.time, sentAt: 0 });
      expect(progress.sampled).to.equal(0);
      sample();
      expect(progress.sampled).to.equal(1);
    });

    it('a standby that is seen below where it was shows only what it shows there', () => {
      const early = commit();
      catchUp(first());
      const late = commit();
      catchUp(first());
      expect(progress.shows('replica1', late)).to.equal(true);
      first().position -= 10n;
      ask(first());
      expect(progress.shows('replica1', late)).to.equal(false);
      expect(progress.shows('replica1', early)).to.equal(true);
    });

    it('an older answer that comes later is no fall', () => {
      commit();
      world.replay(first(), 1);
      const ticket = progress.ticket('replica1');
      const before = world.reading(first());
      const seq = commit();
      catchUp(first());
      progress.replicaSaid('replica1', before, ticket);
      expect(progress.shows('replica1', seq)).to.equal(true);
    });

    it('a node that joins has to show what has expired', () => {
      progress.remove('replica2');
      const seq = commit();
      catchUp(first());
      expect(progress.expired(seq)).to.equal(true);
      progress.add('replica2');
      expect(progress.serves('replica2')).to.equal(false);
      ask(second());
      expect(progress.standing('replica2')).to.equal('behind');
      catchUp(second());
      expect(progress.shows('replica2', seq)).to.equal(true);
    });

    it('a primary whose position falls is another run of it: nothing of before counts', () => {
      const seq = commit();
      catchUp(first(), second());
      world.write(true);
      sample();
      world.crash();
      sample();
      expect(changed).to.deep.equal(['primary']);
      expect(progress.serves('replica1')).to.equal(false);
      catchUp(first());
      expect(progress.shows('replica1', seq)).to.equal(true);
    });

    it('an old primary is refused until the one that replaced it was not met for long', () => {
      commit();
      const old = world.reading(world.primary);
      world.promote(first());
      expect(sample()).to.equal(true);
      for (let times = 0; times < 30; times++) {
        expect(sample(old), 'the new one is there').to.equal(false);
        expect(progress.needsSample).to.equal(true);
        if (times === 10) expect(sample()).to.equal(true);
      }
      for (let times = 0; times < 11; times++) expect(sample(old)).to.equal(false);
      changed = [];
      expect(sample(old)).to.equal(true);
      expect(changed).to.deep.equal(['primary']);
      expect(sample(world.reading(world.primary)), 'and now the other is the old one').to.equal(
        true,
      );
    });

    it('without a primary, replicas have to be of one cluster; then of that of the primary', () => {
      expect(ask(first(), { system: 'another' }).fit).to.equal(true);
      expect(ask(second()).fit).to.equal(false);
      expect(warnings.join()).to.match(/replica2 belongs to another cluster/);
      sample();
      expect(progress.serves('replica1')).to.equal(false);
      expect(ask(second()).fit).to.equal(true);
    });

    it('a standby that gives no position proves nothing, and serves only while nothing has expired', () => {
      expect(ask(first(), { position: undefined }).fit).to.equal(true);
      const seq = commit();
      ask(first(), { position: undefined });
      expect(progress.shows('replica1', seq)).to.equal(false);
      progress.remove('replica1');
      catchUp(second());
      expect(progress.expired(seq)).to.equal(true);
      progress.add('replica1');
      expect(ask(first(), { position: undefined }).fit).to.equal(false);
    });

    it('a proxy before the primary proves nothing; replicas come back after a change all the same', () => {
      sample({ direct: false });
      const seq = commit();
      catchUp(first(), second());
      expect(progress.shows('replica1', seq)).to.equal(false);
      expect(progress.serves('replica1')).to.equal(true);
      sample({ server: 'another run' });
      expect(progress.serves('replica1')).to.equal(false);
      sample({ server: 'another run' });
      catchUp(first());
      expect(progress.serves('replica1')).to.equal(true);
      expect(progress.expired(seq)).to.equal(false);
    });

    it('no replicas, nothing expired', () => {
      progress.remove('replica1');
      progress.remove('replica2');
      expect(progress.expired(commit())).to.equal(false);
    });
  });
});
