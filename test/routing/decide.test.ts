import { expect } from 'chai';
import { decide, type DecideInput, type LiveWriteView, type NodeView } from '../../src/routing';

const node = (name: string, change: Partial<NodeView> = {}): NodeView => ({
  name,
  fit: true,
  lagMs: undefined,
  ...change,
});

const write = (touched: LiveWriteView['touched'], ...shownBy: boolean[]): LiveWriteView => ({
  touched,
  shownBy,
});

const base: DecideInput = {
  statement: { nature: 'read', primaryOnly: false, feedsWrite: false },
  wishes: { transaction: undefined, useMaster: false, query: undefined, scope: undefined },
  primaryBeforeWrite: false,
  primaryOutside: false,
  maxLagMs: undefined,
  waited: false,
  failed: false,
  writes: [],
  nodes: [node('replica1'), node('replica2')],
};

interface Change {
  statement?: Partial<DecideInput['statement']>;
  wishes?: Partial<DecideInput['wishes']>;
  primaryBeforeWrite?: boolean;
  primaryOutside?: boolean;
  maxLagMs?: number;
  waited?: boolean;
  failed?: boolean;
  writes?: LiveWriteView[];
  nodes?: NodeView[];
}

function verdict(change: Change): string {
  const { target, reason, eligible } = decide({
    ...base,
    ...change,
    statement: { ...base.statement, ...change.statement },
    wishes: { ...base.wishes, ...change.wishes },
  });
  return [target, reason, ...eligible].join(' ');
}

const written = write('yes', false, false);

describe('decide', () => {
  const cases: [string, Change, string][] = [
    ['no live write', {}, 'replica no-live-writes 0 1'],
    [
      'a live write to another table',
      { writes: [write('no', false, false)] },
      'replica tables-untouched 0 1',
    ],
    ['a live write to its table', { writes: [written] }, 'primary table-written'],
    [
      'a live write it may read',
      { writes: [write('unknown', false, false)] },
      'primary tables-unknown',
    ],
    ['one of each', { writes: [write('unknown', false, false), written] }, 'primary table-written'],
    ['a write that one node shows', { writes: [write('yes', false, true)] }, 'replica caught-up 1'],
    [
      'writes that no single node shows',
      { writes: [write('yes', false, true), write('yes', true, false)] },
      'primary table-written',
    ],
    [
      'an unknown write that both show',
      { writes: [write('unknown', true, true)] },
      'replica caught-up 0 1',
    ],
    [
      'a write shown only by an unfit node',
      { writes: [write('yes', false, true)], nodes: [node('a'), node('b', { fit: false })] },
      'primary table-written',
    ],

    ['no nodes', { nodes: [] }, 'primary no-replica-fit'],
    ['no nodes and a live write', { nodes: [], writes: [write('yes')] }, 'primary no-replica-fit'],
    ['no fit node', { nodes: [node('a', { fit: false })] }, 'primary no-replica-fit'],
    ['one fit node', { nodes: [node('a', { fit: false }), node('b')] }, 'replica no-live-writes 1'],

    ['not a read', { statement: { nature: 'not-a-read' } }, 'primary not-a-read'],
    [
      'not a read, asked for a replica',
      { statement: { nature: 'not-a-read' }, wishes: { query: 'replica' } },
      'primary not-a-read',
    ],
    ['a locking read', { statement: { nature: 'locking-read' } }, 'primary locking-read'],
    [
      'a sequence',
      { statement: { primaryOnly: true }, wishes: { scope: 'replica' } },
      'primary primary-only-relation',
    ],
    ['a read that feeds a write', { statement: { feedsWrite: true } }, 'primary feeds-a-write'],
    [
      'a read that feeds a write, asked for a replica',
      { statement: { feedsWrite: true }, wishes: { scope: 'replica' } },
      'primary feeds-a-write',
    ],

    [
      'inside a transaction on the primary',
      { wishes: { transaction: 'primary', query: 'replica' } },
      'primary in-transaction',
    ],
    [
      'inside a transaction on a replica',
      { wishes: { transaction: 'replica', useMaster: true }, writes: [written] },
      'replica in-transaction',
    ],
    [
      'useMaster over the query',
      { wishes: { useMaster: true, query: 'replica' } },
      'primary asked-primary',
    ],
    [
      'the query over the scope',
      { wishes: { query: 'replica', scope: 'primary' }, writes: [written] },
      'replica asked-replica 0 1',
    ],
    ['the primary asked for', { wishes: { query: 'primary' } }, 'primary asked-primary'],
    [
      'the scope over the rule',
      { wishes: { scope: 'replica' }, writes: [written] },
      'replica asked-replica 0 1',
    ],
    [
      'fresh over the scope',
      { wishes: { query: 'fresh', scope: 'replica' }, writes: [written] },
      'primary table-written',
    ],
    [
      'a replica asked for, none fit',
      { wishes: { query: 'replica' }, nodes: [] },
      'primary no-replica-fit',
    ],

    [
      'near enough',
      {
        wishes: { query: { maxLagMs: 100 } },
        nodes: [node('a', { lagMs: 200 }), node('b', { lagMs: 100 })],
      },
      'replica no-live-writes 1',
    ],
    [
      'too far behind',
      { wishes: { query: { maxLagMs: 100 } }, nodes: [node('a', { lagMs: 101 })] },
      'primary too-far-behind',
    ],
    ['unknown lag', { wishes: { query: { maxLagMs: 100 } } }, 'primary too-far-behind'],
    [
      'near enough, but without the write',
      {
        wishes: { query: { maxLagMs: 100 } },
        nodes: [node('a', { lagMs: 1 })],
        writes: [write('yes', false)],
      },
      'primary table-written',
    ],

    ['a mutation before its first write', { primaryBeforeWrite: true }, 'primary mutation-read'],
    ['outside any operation', { primaryOutside: true }, 'primary asked-primary'],
    [
      'outside any operation, asked for a replica',
      { primaryOutside: true, wishes: { scope: 'replica' } },
      'replica asked-replica 0 1',
    ],
    [
      'caught up after a wait',
      { waited: true, writes: [write('yes', true, false)] },
      'replica waited 0',
    ],
    ['not caught up after a wait', { waited: true, writes: [written] }, 'primary table-written'],
    [
      'one replica failed, another is fit',
      { failed: true, nodes: [node('a', { fit: false }), node('b')] },
      'replica no-live-writes 1',
    ],
    [
      'every replica failed',
      { failed: true, nodes: [node('a', { fit: false })] },
      'primary replica-failed',
    ],
    [
      'a bound on every read',
      { maxLagMs: 50, nodes: [node('a', { lagMs: 51 }), node('b', { lagMs: 50 })] },
      'replica no-live-writes 1',
    ],
    [
      'the narrower of two bounds',
      { maxLagMs: 50, wishes: { query: { maxLagMs: 500 } }, nodes: [node('a', { lagMs: 51 })] },
      'primary too-far-behind',
    ],
    [
      'a bound, asked for a replica',
      { maxLagMs: 50, wishes: { query: 'replica' }, nodes: [node('a', { lagMs: 51 })] },
      'primary too-far-behind',
    ],
  ];
  for (const [name, change, expected] of cases) {
    it(`${name}: ${expected}`, () => expect(verdict(change)).to.equal(expected));
  }
});
