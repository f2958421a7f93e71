import { expect } from 'chai';
import { historyAround } from '../../chaos/around';
import { Scribe, type Facts } from './scribe';

const A = { operation: 'A' };
const B = { operation: 'B' };
const TX = { operation: 'A', transaction: 't1' };
const other = (facts: Facts = {}): Facts => ({ ...facts, process: 'b' });
const h = () => new Scribe();

/** A history, and the violations that are in it. */
const histories: Record<string, [Scribe, string[]]> = {
  'a read that shows the write': [h().begin('A').write(1, A).read('r', 1, A), []],
  'a read that shows less': [h().begin('A').write(1, A).read('r', 0, A), ['stale r']],
  'a read that shows more': [
    h().begin('A').write(1, A).send(2, B).read('r', 2, A).settled('w2', 'committed'),
    [],
  ],
  'a read issued before the acknowledgement': [
    h().begin('A').send(1, A).ask('r', A).settled('w1', 'committed').got('r', 0),
    [],
  ],
  'the write of another operation': [h().begin('A').begin('B').write(1, A).read('r', 0, B), []],
  'a write with no operation around it, read in one': [
    h().begin('A').write(1).read('r', 0, A),
    ['stale r'],
  ],
  'the write of an operation, read outside': [
    h().begin('A').write(1, A).end('A').read('r', 0),
    ['stale r'],
  ],
  'the write of another process, read outside': [h().write(1, other()).read('r', 0).final(1), []],
  'no row where one was written': [h().begin('A').write(1, A).read('r', null, A), ['stale r']],
  'no row after its removal': [
    h()
      .begin('A')
      .write(1, { ...A, removes: true })
      .read('r', null, A),
    [],
  ],
  'a row after its removal': [
    h()
      .begin('A')
      .write(1, { ...A, removes: true })
      .read('r', 0, A),
    ['stale r'],
  ],
  'no row after it was written again': [
    h().write(1, { removes: true }).write(2).read('r', null),
    ['stale r'],
  ],
  'a row removed by another process, told of later': [
    h()
      .read('r', null)
      .write(1, other({ removes: true }))
      .final(null),
    [],
  ],
  'no row, and nobody ever removed it': [h().read('r', null).final(0), ['stale r']],
  'rows that disagree': [h().read('r', 'torn'), ['unwritten r']],
  'a version that nobody wrote': [h().read('r', 7).final(0), ['unwritten r']],
  'a version of another process, told of later': [h().read('r', 1).write(1, other()).final(1), []],
  'what was undone, seen outside': [
    h().send(1, TX).read('r', 1).settled('w1', 'aborted').final(0),
    ['rolled-back r'],
  ],
  'what was undone, seen by its own transaction': [
    h().send(1, TX).answered('w1').read('r', 1, TX).settled('w1', 'aborted').final(0),
    [],
  ],
  'an open transaction that misses its own write': [
    h().begin('A').send(1, TX).answered('w1').read('r', 0, TX).settled('w1', 'committed'),
    ['stale r'],
  ],
  'an open transaction read from outside': [
    h().begin('A').send(1, TX).answered('w1').read('r', 0, A).settled('w1', 'committed').final(1),
    [],
  ],
  'an unknown outcome either way': [
    h().begin('A').send(1, A).settled('w1', 'unknown').read('r', 1, A).read('s', 0, A).final(0),
    [],
  ],
  'a commit that is gone in the end': [h().write(1).final(0), ['lost']],
  'a commit that did not wait for the disk, and is gone after a crash': [
    h().write(1, { lossy: true }).fault('primary', 'begins').read('r', 0).final(0),
    [],
  ],
  'such a commit, gone with no crash': [
    h().write(1, { lossy: true }).read('r', 0).final(0),
    ['stale r', 'lost'],
  ],
  'such a commit, gone after a crash long after it': [
    h().write(1, { lossy: true }).later(5000).fault('primary', 'begins').read('r', 0).final(0),
    ['stale r', 'lost'],
  ],
  'a commit that did wait, gone after a crash': [
    h().write(1).fault('primary', 'begins').read('r', 0).final(0),
    ['stale r', 'lost'],
  ],
  'a commit followed by an unknown one': [
    h().write(1).send(2).settled('w2', 'unknown').final(2),
    [],
  ],
  'a rolled-back version that is there in the end': [
    h().write(1).send(2).settled('w2', 'aborted').final(2),
    ['lost'],
  ],
  'a row that is gone in the end': [h().write(1).final(null), ['lost']],
  'a session that goes on in another process': [
    h()
      .begin('A', 's')
      .write(1, A)
      .token('A', 's')
      .end('A')
      .begin('B', 's', 'b')
      .read('r', 0, other(B)),
    ['stale r'],
  ],
  'a session whose token was taken before the write': [
    h().begin('A', 's').token('A', 's').write(1, A).begin('B', 's', 'b').read('r', 0, other(B)),
    [],
  ],
  'another session': [
    h().begin('A', 's').write(1, A).token('A', 's').begin('B', 'z').read('r', 0, B),
    [],
  ],
  'a session that goes back behind what it saw': [
    h()
      .write(1, other())
      .beginMonotonic('A', 's')
      .read('q', 1, A)
      .token('A', 's')
      .beginMonotonic('B', 's')
      .read('r', 0, B),
    ['backwards r'],
  ],
  'an operation that goes back behind what it saw': [
    h().write(1, other()).beginMonotonic('A').read('q', 1, A).read('r', 0, A),
    ['backwards r'],
  ],
  'a cache that gives again what it gave before': [
    h().write(1, other()).beginMonotonic('A').read('q', 1, A).ask('r', A).cached('r', 0),
    [],
  ],
  'what its own transaction saw, undone': [
    h()
      .beginMonotonic('A')
      .send(1, TX)
      .answered('w1')
      .read('q', 1, TX)
      .settled('w1', 'aborted')
      .read('r', 0, A),
    [],
  ],
  'the same where only writes are promised': [
    h()
      .write(1, other())
      .begin('A', 's')
      .read('q', 1, A)
      .token('A', 's')
      .begin('B', 's')
      .read('r', 0, B),
    [],
  ],
  'a read that fails': [h().ask('r').failed('r', 'no answer'), ['error r']],
  'a read that fails while a replica is down': [
    h().fault('replica1', 'begins').ask('r').failed('r', 'no answer'),
    ['error r'],
  ],
  'a read that fails while the primary is down': [
    h().fault('primary', 'begins').ask('r').failed('r', 'no answer'),
    [],
  ],
  'a read that fails just after the primary was down': [
    h().fault('primary', 'begins').fault('primary', 'ends').later(100).ask('r').failed('r', 'gone'),
    [],
  ],
  'a read that fails long after the primary was down': [
    h()
      .fault('primary', 'begins')
      .fault('primary', 'ends')
      .later(10_000)
      .ask('r')
      .failed('r', 'gone'),
    ['error r'],
  ],
  'a write that fails': [h().send(1).settled('w1', 'unknown', 'gone'), ['error w1']],
};

describe('the checker of chaos runs', () => {
  for (const [title, [history, expected]] of Object.entries(histories)) {
    it(`${title}: ${expected.join(', ') || 'nothing wrong'}`, () => {
      expect(history.kinds).to.deep.equal(expected);
    });
  }

  it('says what was read, from where, and what was due', () => {
    const [violation] = h().begin('A').write(3, A).read('r', 0, A).violations;
    expect(violation?.text).to.equal(
      'find: version 0 of items/1 from replica1 caught-up; version 3 was acknowledged before',
    );
  });

  it('tells the history of a violation and nothing else', () => {
    const scribe = h()
      .begin('X')
      .fault('replica2', 'begins', 'f0')
      .fault('replica2', 'ends', 'f0')
      .fault('replica1', 'begins')
      .begin('A', 's')
      .write(1, A)
      .read('q', 1, A)
      .token('A', 's')
      .end('A')
      .write(2, { operation: 'X', process: 'b' })
      .begin('B', 's')
      .read('r', 0, B)
      .read('t', 1, B);
    const [violation] = scribe.violations;
    const told = historyAround(scribe.events, violation!).map(
      (event) =>
        `${event.type} ${'id' in event ? event.id : 'operation' in event ? event.operation : ''}`,
    );
    expect(told).to.deep.equal([
      ...['fault f1', 'operation A', 'write w1', 'written w1', 'token A', 'ended A'],
      ...['write w2', 'written w2', 'operation B', 'read r', 'got r'],
    ]);
  });
});
