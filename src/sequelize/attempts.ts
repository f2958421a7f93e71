import { isRetryableElsewhere, type NodePools } from '../replicas';
import type { Connection } from './internals';
import { PRIMARY } from './nodes';
import { Statement } from './statement';

/** SQLSTATE read_only_sql_transaction: a standby was asked to write. */
const READ_ONLY = '25006';

type Run = (statement: Statement) => Promise<unknown>;

/** Runs a statement to its end. */
export type Attempt = (first: Statement, run: Run) => Promise<unknown>;

export interface AttemptsParts {
  /** Where there are pools of ours, a read that a replica failed on is repeated. */
  readonly elsewhere:
    | {
        readonly pools: NodePools<Connection>;
        /** Something to wait for first, if any. */
        readonly versionKnown: () => Promise<void> | undefined;
      }
    | undefined;
  readonly answered: ((statement: Statement) => void) | undefined;
  readonly failed: (statement: Statement) => void;
}

/**
 * Follows each statement to its end. A read that a replica failed on (lost connection, recovery
 * conflict, a definition that has not arrived there) is tried once on another replica and then on the
 * primary: a read is safe to repeat. Nothing else is repeated, since only proven reads are ever routed
 * to a replica.
 */
export function attempts({ elsewhere, answered, failed }: AttemptsParts): Attempt {
  // Plain promises, here and in the pools: every one costs, and an async function makes three.
  const attempt: Attempt = (statement, run) =>
    run(statement).then(
      answered &&
        ((result) => {
          answered(statement);
          return result;
        }),
      (error: unknown) => {
        failed(statement);
        const node = elsewhere && replicaOf(statement);
        if (node === undefined) throw error;
        elsewhere?.pools.noteFailure(node, error);
        if (!isRetryableElsewhere(error)) throw error;
        return attempt(again(statement, node, error), run);
      },
    );
  return (first, run) => {
    const asking = elsewhere?.versionKnown();
    return asking ? asking.then(() => attempt(first, run)) : attempt(first, run);
  };
}

function again(failed: Statement, node: string, error: unknown): Statement {
  const { builtInsert, ownSearchPath } = failed;
  const next = new Statement(failed.text, failed.frame, { builtInsert, ownSearchPath });
  next.useMaster = failed.useMaster;
  next.failedOn = [...failed.failedOn, node];
  next.writesInDisguise = failed.writesInDisguise || codeOf(error) === READ_ONLY;
  return next;
}

/** The replica that the statement was sent to by a route of ours, outside any transaction. */
function replicaOf({ route }: Statement): string | undefined {
  return route?.node === PRIMARY ? undefined : route?.node;
}

function codeOf(error: unknown): unknown {
  return (error as { parent?: { code?: unknown } }).parent?.code;
}
