import type { Analysis, FunctionName, RelationName } from '../../src/statement';
import { WriteAction } from '../../src/statement';

const LETTERS: readonly [number, string][] = [
  [WriteAction.insert, 'I'],
  [WriteAction.update, 'U'],
  [WriteAction.delete, 'D'],
  [WriteAction.truncate, 'T'],
  [WriteAction.definition, 'X'],
];

export function qualified({ schema, name }: RelationName | FunctionName): string {
  return schema === undefined ? name : `${schema}.${name}`;
}

const list = (names: readonly (RelationName | FunctionName)[]): string =>
  names.map(qualified).sort().join(' ');

/**
 * An analysis in one line: `kind | read a b | write t:IU! | call f | flags`, parts that say nothing
 * left out.
 */
export function describeAnalysis(analysis: Analysis): string {
  const writes = analysis.writes
    .map(({ relation, actions, cascade }) => {
      const letters = LETTERS.filter(([bit]) => (actions & bit) !== 0).map(([, letter]) => letter);
      return `${qualified(relation)}:${letters.join('')}${cascade ? '!' : ''}`;
    })
    .sort()
    .join(' ');
  const flags = [
    analysis.readsUnknown && 'reads-unknown',
    analysis.writesUnknown && 'writes-unknown',
    analysis.locking && 'locking',
    analysis.setsSearchPath && 'path',
    analysis.changesCatalog && 'catalog',
    analysis.temporary && 'temporary',
    ...analysis.transactions.map(({ name, id }) => (id === undefined ? name : `${name}(${id})`)),
    analysis.problem,
  ].filter((flag) => typeof flag === 'string');
  const parts = [
    ['read', list(analysis.reads)],
    ['write', writes],
    ['call', list(analysis.functions)],
  ].flatMap(([label, text]) => (text === '' ? [] : [`${label} ${text}`]));
  return [analysis.kind, ...parts, ...(flags.length > 0 ? [flags.join(' ')] : [])].join(' | ');
}
