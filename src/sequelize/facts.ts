import type { BodyFacts, StatementFacts } from '../catalog';
import { WriteAction, analyseFunctionBody, type Analysis, type WriteTarget } from '../statement';

const byAnalysis = new WeakMap<Analysis, StatementFacts>();

/** What the statement room found, in the words of the catalog room: the same object each time. */
export function factsOf(analysis: Analysis): StatementFacts {
  let facts = byAnalysis.get(analysis);
  if (!facts) {
    facts = {
      reads: analysis.reads,
      writes: analysis.writes.map((target) => ({
        relation: target.relation,
        actions: actionsOf(target),
        cascade: target.cascade,
      })),
      functions: analysis.functions,
      identifiers: analysis.identifiers,
    };
    byAnalysis.set(analysis, facts);
  }
  return facts;
}

/** Reads a function's body for the catalog room. */
export function analyseBody(language: 'sql' | 'plpgsql', body: string): BodyFacts {
  const analysis = analyseFunctionBody(language, body);
  const { readsUnknown, writesUnknown } = analysis;
  return { ...factsOf(analysis), readsUnknown, writesUnknown };
}

function actionsOf({ actions }: WriteTarget): string[] {
  return Object.entries(WriteAction)
    .filter(([, bit]) => (actions & bit) !== 0)
    .map(([name]) => name);
}
