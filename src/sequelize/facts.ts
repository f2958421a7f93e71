import type { BodyFacts, RelationWrite, StatementFacts } from '../catalog';
import { WriteAction, analyseFunction, type Analysis, type WriteTarget } from '../statement';

const byAnalysis = new WeakMap<Analysis, StatementFacts>();

/** What the statement room found, in the words of the catalog room: the same object each time. */
export function factsOf(analysis: Analysis): StatementFacts {
  let facts = byAnalysis.get(analysis);
  if (!facts) {
    facts = { ...analysis, writes: analysis.writes.map(writeOf) };
    byAnalysis.set(analysis, facts);
  }
  return facts;
}

/** Reads a function's body for the catalog room. */
export function analyseBody(_language: string, _body: string, definition: string): BodyFacts {
  const analysis = analyseFunction(definition);
  return { ...analysis, writes: analysis.writes.map(writeOf) };
}

function writeOf(target: WriteTarget): RelationWrite {
  return { ...target, actions: actionsOf(target) };
}

function actionsOf({ actions }: WriteTarget): string[] {
  return Object.entries(WriteAction)
    .filter(([, bit]) => (actions & bit) !== 0)
    .map(([name]) => name);
}
