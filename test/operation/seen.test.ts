import { expect } from 'chai';
import { Seen, UNCHECKED, type CommitMark, type Proof } from '../../src/operation';

const replica1 = { node: 'replica1', run: 0 };
const replica2 = { node: 'replica2', run: 0 };

let seq = 0;
const mark = (proof?: Proof): CommitMark => ({ seq: ++seq, at: seq, proof });
const at = (position: bigint, timeline = 1): Proof => ({ system: 'one', timeline, position });

describe('what a session has seen', () => {
  it('is shown by the node that was read last, in the same run of it', () => {
    const seen = new Seen();
    seen.note(mark(), replica1, seen.reads);
    expect(seen.isLast(replica1)).to.equal(true);
    expect(seen.isLast(replica2)).to.equal(false);
    expect(seen.isLast({ ...replica1, run: 1 })).to.equal(false);
    seen.note(mark(), replica2, seen.reads);
    expect(seen.isLast(replica1)).to.equal(false);
    expect(seen.isLast(replica2)).to.equal(true);
  });

  it('is known to be shown by neither of two nodes that were read at a time', () => {
    const seen = new Seen();
    const before = seen.reads;
    seen.note(mark(), replica1, before);
    const newest = mark();
    seen.note(newest, replica2, before);
    expect([replica1, replica2].map((node) => seen.isLast(node))).to.deep.equal([false, false]);
    expect(seen.mark).to.equal(newest);
  });

  it('is shown by one node that was read twice at a time', () => {
    const seen = new Seen();
    const before = seen.reads;
    seen.note(mark(), replica1, before);
    seen.note(mark(), replica1, before);
    expect(seen.isLast(replica1)).to.equal(true);
  });

  it('is not known to be shown by a node that nobody has held against it', () => {
    const seen = new Seen();
    seen.note(mark(), replica1, seen.reads);
    seen.note(mark(), replica2, UNCHECKED);
    expect([replica1, replica2].map((node) => seen.isLast(node))).to.deep.equal([false, false]);
  });

  it('is never the last of a name that hides several servers', () => {
    const seen = new Seen();
    const mixed = { node: 'reader', run: NaN };
    seen.note(mark(), mixed, seen.reads);
    expect(seen.isLast(mixed)).to.equal(false);
  });

  it('brought by a token has that place in the log, if nothing else was seen', () => {
    const seen = new Seen();
    seen.carry(mark(at(5n)));
    expect(seen.mark?.proof).to.deep.equal(at(5n));
    for (const [proof, expected] of [
      [at(3n), at(5n)],
      [at(9n), at(9n)],
      [at(1n), at(9n)],
      [at(10n, 2), undefined],
      [at(11n, 2), undefined],
    ] as const) {
      const newest = mark(proof);
      seen.carry(newest);
      expect(seen.mark).to.deep.equal({ ...newest, proof: expected });
    }
  });

  it('here is not what the place in a token tells of', () => {
    const seen = new Seen();
    seen.note(mark(), replica1, seen.reads);
    const newest = mark(at(5n));
    seen.carry(newest);
    expect(seen.mark).to.deep.equal({ ...newest, proof: undefined });
    expect(seen.isLast(replica1)).to.equal(false);
  });
});
