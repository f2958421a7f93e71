import { EVERYTHING, toRecord, type Frame, type TableEntry } from '../operation';
import type { Decision, Reason, Target, Verdict } from '../routing';
import type { Knowledge } from './knowledge';
import type { LiveWrites } from './live-writes';
import { PRIMARY } from './nodes';
import type { Statement } from './statement';

/** Decisions as they are told to whoever listens. */
export class Decisions {
  readonly #knowledge: Knowledge;
  readonly #writes: LiveWrites;
  /** Nothing is routed: the verdict is only what would have been done. */
  readonly #observing: boolean;

  constructor(parts: { knowledge: Knowledge; writes: LiveWrites; observing: boolean }) {
    this.#knowledge = parts.knowledge;
    this.#writes = parts.writes;
    this.#observing = parts.observing;
  }

  /** On a statement about to be sent to `node`. */
  of(statement: Statement, node: string, inTransaction: boolean): Decision {
    const { frame } = statement;
    const target: Target = node === PRIMARY ? 'primary' : 'replica';
    const verdict = inTransaction ? undefined : statement.verdict;
    const observing = verdict !== undefined && this.#observing;
    const reason = observing ? 'observing' : reasonOf(verdict, target);
    const tables = this.#tablesOf(statement, target);
    const decision: Decision = {
      target,
      node,
      reason,
      tables,
      operation: frame.operation?.info,
      resolver: frame.resolver,
      resolvers: frame.batch?.resolvers ?? (frame.resolver === undefined ? [] : [frame.resolver]),
      writes:
        reason === 'table-written' || reason === 'tables-unknown'
          ? this.#deciding(frame, tables).map(toRecord)
          : [],
      waitedMs: statement.waitedMs,
    };
    if (!observing) return decision;
    return { ...decision, would: { target: verdict.target, reason: verdict.reason } };
  }

  #deciding(frame: Frame, tables: readonly string[]): TableEntry[] {
    return this.#writes
      .of(frame)
      .entries.filter(
        ({ table }) => tables.length === 0 || table === EVERYTHING || tables.includes(table),
      );
  }

  #tablesOf(statement: Statement, target: Target): readonly string[] {
    const reads = this.#knowledge.reads(statement).tables;
    const effect = this.#knowledge.effect(statement, target === 'replica');
    if (!effect) return reads;
    const written = [...effect.tables, ...effect.ignored].filter((table) => table !== EVERYTHING);
    return [...new Set([...written, ...reads])];
  }
}

function reasonOf(verdict: Verdict | undefined, target: Target): Reason {
  if (!verdict) return 'in-transaction';
  // It was on its way to a replica, and none of the eligible ones could take it.
  return verdict.target === 'replica' && target === 'primary' ? 'replica-failed' : verdict.reason;
}
