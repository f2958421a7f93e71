import type { Reason, Target } from './decision';

/** What is known of the statement, as far as routing cares. */
export interface StatementView {
  /** `read`: proven to be one. Anything else is the primary's. */
  readonly nature: 'read' | 'locking-read' | 'not-a-read';
  /** Reads something that replicas don't have: a temporary or unlogged relation, a sequence. */
  readonly primaryOnly: boolean;
  /** Issued by a helper of the ORM that writes what it finds. */
  readonly feedsWrite: boolean;
}

/** What the caller asked for, strongest wish first. */
export interface Wishes {
  /** The node that an open transaction is pinned to. */
  readonly transaction: Target | undefined;
  readonly useMaster: boolean;
  /** The query's own `freshness`. */
  readonly query: 'fresh' | 'primary' | 'replica' | { readonly maxLagMs: number } | undefined;
  /** `usePrimary` or `useReplica` around it. */
  readonly scope: Target | undefined;
  /** `@freshness` of the field around it. */
  readonly field?:
    | {
        readonly read: 'fresh' | 'primary' | 'replica';
        readonly maxLagMs: number | undefined;
      }
    | undefined;
}

/** One live write in the caller's scope, held against the statement. */
export interface LiveWriteView {
  /** `yes` and `no` are exact; `unknown`: the statement's or the write's tables are not known. */
  readonly touched: 'yes' | 'no' | 'unknown';
  /** For each node, in the order of `nodes`: whether it is known to show the write. */
  readonly shownBy: readonly boolean[];
}

export interface NodeView {
  readonly name: string;
  /** Up, and allowed to serve reads. */
  readonly fit: boolean;
  /** How far it is behind, at most; `undefined` when that is not known. */
  readonly lagMs: number | undefined;
}

export interface DecideInput {
  readonly statement: StatementView;
  readonly wishes: Wishes;
  /** Whether reads of this mutation go to the primary until it writes. */
  readonly primaryBeforeWrite: boolean;
  /** Whether there is no operation around it and such reads are the primary's. */
  readonly primaryOutside: boolean;
  /** The most that a replica may be behind for any read, in milliseconds; `undefined`: no bound. */
  readonly maxLagMs: number | undefined;
  /** The read was held back until a replica had caught up. */
  readonly waited: boolean;
  /** A replica has failed on this very read. */
  readonly failed: boolean;
  readonly writes: readonly LiveWriteView[];
  readonly nodes: readonly NodeView[];
  /**
   * For each node: whether it shows all that the session has read. `undefined`: nothing was read, or
   * sessions may go back.
   */
  readonly seenBy?: readonly boolean[] | undefined;
}

export interface Verdict {
  readonly target: Target;
  readonly reason: Reason;
  /** For a replica: the indexes of the nodes that may serve it. Empty for the primary. */
  readonly eligible: readonly number[];
  /** Replicas are up, and none shows all that the session has read. */
  readonly behindSession?: true;
}

const NO_NODES: readonly number[] = Object.freeze([]);

/**
 * The rule of this package, as a pure function: the same input gives the same verdict.
 * Doubt is never resolved in favour of a replica.
 */
export function decide(input: DecideInput): Verdict {
  const { statement, wishes, nodes } = input;

  if (wishes.transaction) {
    return { target: wishes.transaction, reason: 'in-transaction', eligible: NO_NODES };
  }
  // What a replica can't do, no wish can change.
  if (statement.nature === 'not-a-read') return primary('not-a-read');
  if (statement.nature === 'locking-read') return primary('locking-read');
  if (statement.primaryOnly) return primary('primary-only-relation');

  if (wishes.useMaster) return primary('asked-primary');
  const wish = wishes.query ?? wishes.scope ?? wishes.field?.read;
  if (wish === 'primary') return primary('asked-primary');
  // Even under a wish for a replica: what this read finds decides what is written next.
  if (statement.feedsWrite) return primary('feeds-a-write');

  const near = nodesNoFurtherThan(lagBound(input), nodes);
  const none = noNode(input);
  if (wish === 'replica') return near.length > 0 ? replica('asked-replica', near) : none;

  if (input.primaryBeforeWrite) return primary('mutation-read');
  if (input.primaryOutside) return primary('asked-primary');

  if (near.length === 0) return none;
  const { seenBy } = input;
  const onward = seenBy ? near.filter((node) => seenBy[node] === true) : near;
  if (onward.length === 0) return { ...primary('too-far-behind'), behindSession: true };
  if (input.writes.length === 0) return replica('no-live-writes', onward);
  const touching = input.writes.filter((write) => write.touched !== 'no');
  if (touching.length === 0) return replica('tables-untouched', onward);

  const caughtUp = onward.filter((node) => touching.every((write) => write.shownBy[node] === true));
  if (caughtUp.length > 0) return replica(input.waited ? 'waited' : 'caught-up', caughtUp);
  return primary(
    touching.some((write) => write.touched === 'yes') ? 'table-written' : 'tables-unknown',
  );
}

function primary(reason: Reason): Verdict {
  return { target: 'primary', reason, eligible: NO_NODES };
}

function replica(reason: Reason, eligible: readonly number[]): Verdict {
  return { target: 'replica', reason, eligible };
}

/** The narrowest bound on the lag that applies. A wish of the query or its scope is over the field's. */
export function lagBound({ maxLagMs, wishes }: Pick<DecideInput, 'maxLagMs' | 'wishes'>): number {
  const { query, scope, field } = wishes;
  const wished =
    typeof query === 'object'
      ? query.maxLagMs
      : query === undefined && scope === undefined
        ? field?.maxLagMs
        : undefined;
  return Math.min(maxLagMs ?? Infinity, wished ?? Infinity);
}

/** Why no replica serves the read: none is up, or those that are may be too far behind. */
function noNode({ nodes, failed }: DecideInput): Verdict {
  if (nodes.some(({ fit }) => fit)) return primary('too-far-behind');
  return primary(failed ? 'replica-failed' : 'no-replica-fit');
}

/** The fit nodes that are known to be at most `maxLagMs` behind; without a bound all that are fit. */
function nodesNoFurtherThan(maxLagMs: number, nodes: readonly NodeView[]): readonly number[] {
  const near: number[] = [];
  nodes.forEach(({ fit, lagMs }, index) => {
    if (fit && (maxLagMs === Infinity || (lagMs !== undefined && lagMs <= maxLagMs))) {
      near.push(index);
    }
  });
  return near;
}
