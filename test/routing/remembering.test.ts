import { expect } from 'chai';
import fc from 'fast-check';
import {
  decide,
  rememberingDecide,
  type DecideInput,
  type LiveWriteView,
  type NodeView,
  type StatementView,
  type Wishes,
} from '../../src/routing';

// Few of each, and the same objects again and again, so that inputs do repeat.
const statements: StatementView[] = [
  { nature: 'read', primaryOnly: false, feedsWrite: false },
  { nature: 'read', primaryOnly: true, feedsWrite: false },
  { nature: 'read', primaryOnly: false, feedsWrite: true },
  { nature: 'locking-read', primaryOnly: false, feedsWrite: false },
  { nature: 'not-a-read', primaryOnly: false, feedsWrite: false },
];
const none: Wishes = {
  transaction: undefined,
  useMaster: false,
  query: undefined,
  scope: undefined,
};
const wishes: Wishes[] = [
  none,
  { ...none, useMaster: true },
  { ...none, query: 'replica' },
  { ...none, query: { maxLagMs: 10 } },
  { ...none, scope: 'primary' },
  { ...none, transaction: 'replica' },
];
const writes: LiveWriteView[][] = [
  [],
  [{ touched: 'no', shownBy: [] }],
  [{ touched: 'yes', shownBy: [false, true] }],
  [{ touched: 'unknown', shownBy: [false, false] }],
];
const nodes: NodeView[][] = [
  [
    { name: 'a', fit: true, lagMs: undefined },
    { name: 'b', fit: true, lagMs: 5 },
  ],
  [
    { name: 'a', fit: false, lagMs: undefined },
    { name: 'b', fit: true, lagMs: 50 },
  ],
  [],
];

const inputs: fc.Arbitrary<DecideInput> = fc.record({
  statement: fc.constantFrom(...statements),
  wishes: fc.constantFrom(...wishes),
  primaryBeforeWrite: fc.boolean(),
  primaryOutside: fc.boolean(),
  maxLagMs: fc.constantFrom(undefined, 20),
  waited: fc.boolean(),
  failed: fc.boolean(),
  writes: fc.constantFrom(...writes),
  nodes: fc.constantFrom(...nodes),
});

/** A run of inputs of which each differs from the one before in a few members, or in none. */
const runs = fc.tuple(
  inputs,
  fc.array(inputs.chain((input) => fc.subarray(Object.entries(input)))),
);

describe('decide with its last answer at hand', () => {
  it('says at every step what decide says', () => {
    fc.assert(
      fc.property(runs, ([first, changes]) => {
        const remembering = rememberingDecide();
        let input = first;
        for (const change of [[], ...changes]) {
          input = { ...input, ...(Object.fromEntries(change) as Partial<DecideInput>) };
          expect(remembering(input)).to.deep.equal(decide(input));
        }
      }),
      { numRuns: 500 },
    );
  });

  it('works nothing out anew while nothing has changed', () => {
    const remembering = rememberingDecide();
    const [input] = fc.sample(inputs, 1);
    if (!input) throw new Error('no sample');
    expect(remembering({ ...input })).to.equal(remembering({ ...input }));
  });

  it('any number of untouched writes decides as one does', () => {
    const untouched = fc.record({
      touched: fc.constant('no' as const),
      shownBy: fc.array(fc.boolean(), { maxLength: 2 }),
    });
    fc.assert(
      fc.property(inputs, fc.array(untouched, { minLength: 1 }), (input, many) => {
        const one: LiveWriteView[] = [{ touched: 'no', shownBy: [] }];
        const verdict = decide({ ...input, writes: many });
        expect(decide({ ...input, writes: one })).to.deep.equal(verdict);
      }),
    );
  });
});
