import { expect } from 'chai';
import { Progress } from '../../src/freshness/progress';
import type { Reading } from '../../src/freshness/reading';
import { World, type Server } from './world';

describe('Progress, rule by rule', () => {
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

  it('an answer of before that comes late and shows a crash tells nothing of what has expired since', () => {
    world.write(false);
    sample();
    world.crash();
    progress.lost('replica1');
    const ticket = progress.ticket('primary');
    const before = world.reading(world.primary);
    const seq = commit();
    catchUp(second());
    expect(progress.expired(seq)).to.equal(true);
    progress.primarySaid(before, ticket, { seq: 0, sentAt: 0 });
    ask(first());
    expect(progress.serves('replica1'), 'replica1, which has nothing, serves').to.equal(false);
    expect(progress.places.covering(seq), 'a place').to.equal(undefined);
    sample();
    expect(progress.places.covering(seq)?.position).to.equal(world.primary.position);
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

  it('an answer to an earlier question that comes after a restart was seen counts for nothing', () => {
    const seq = commit();
    world.replay(first(), 1);
    progress.lost('replica1');
    const ticket = progress.ticket('replica1');
    const before = world.reading(first());
    first().position -= 10n;
    ask(first());
    progress.replicaSaid('replica1', before, ticket);
    expect(progress.shows('replica1', seq)).to.equal(false);
  });

  it('of two samples of one logical time, what was seen to pass the first has not passed the second', () => {
    progress.remove('replica2');
    commit();
    catchUp(first());
    const proof = () => ({ ...progress.places.here!, position: world.primary.position });
    expect(progress.places.hasArrived(proof())).to.equal(true);
    progress.add('replica2');
    commit();
    catchUp(second());
    world.write(false);
    sample();
    progress.lost('replica1');
    expect(progress.places.hasArrived(proof()), 'replica2 serves, and is not there').to.equal(
      false,
    );
    world.flush();
    catchUp(second());
    expect(progress.places.isPast('replica2', proof())).to.equal(true);
  });

  it('a sample that is answered after a later one takes nothing back, and proves nothing more', () => {
    const ticket = progress.ticket('primary');
    const early = world.reading(world.primary);
    const seq = commit();
    catchUp(first());
    progress.primarySaid(early, ticket, { seq: 0, sentAt: 0 });
    expect(progress.sampled).to.equal(seq);
    ask(second());
    expect(progress.expired(seq)).to.equal(false);
    expect(progress.shows('replica2', seq)).to.equal(false);
  });

  it('what only the primary has shown, a crash may take back: replicas serve again all the same', () => {
    world.promote(first());
    sample();
    progress.lost('replica2');
    world.write(true);
    world.write(true);
    sample();
    ask(first());
    world.crash();
    progress.lost('primary');
    sample();
    world.follow(second());
    catchUp(second());
    expect(progress.serves('replica2')).to.equal(true);
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
    expect(sample(world.reading(world.primary)), 'and now the other is the old one').to.equal(true);
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
