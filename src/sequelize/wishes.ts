import { QueryTypes } from 'sequelize';
import type { Frame } from '../operation';
import type { ResolvedOptions } from '../resolve-options';
import type { Target, Wishes } from '../routing';
import type { StatementOptions } from './internals';
import { freshnessOf } from './query-options';
import type { Statement } from './statement';

const { SELECT, RAW }: Record<'SELECT' | 'RAW', string> = QueryTypes;
/** Of most statements: the same object, so that nothing is made for them. */
const NO_WISHES: Wishes = Object.freeze({
  transaction: undefined,
  useMaster: false,
  query: undefined,
  scope: undefined,
  field: undefined,
});

/**
 * What is wished for a statement outside any transaction: by itself, and by the code around it.
 *
 * @throws OptionsError when its `freshness` is none of the choices
 */
export function wishesOf(
  { frame, useMaster: asked }: Pick<Statement, 'frame' | 'useMaster'>,
  options: StatementOptions,
  { rawReads }: Pick<ResolvedOptions, 'rawReads'>,
): Wishes {
  const query = freshnessOf(options);
  const scope = wishOf(frame);
  const field = frame.freshness;
  const useMaster = asked === true || staysOnPrimary(options, rawReads);
  return useMaster || query || scope || field
    ? { transaction: undefined, useMaster, query, scope, field }
    : NO_WISHES;
}

/** What is wished for a transaction that is about to begin: it has no text and no options of a query. */
export function wishesOfTransaction(frame: Frame): Wishes {
  return {
    transaction: undefined,
    useMaster: false,
    query: undefined,
    scope: wishOf(frame),
    field: frame.freshness,
  };
}

/** Raw SQL has no type; any other one (SHOWTABLES, DESCRIBE ...) looks at the schema to change it. */
function staysOnPrimary(options: StatementOptions, rawReads: ResolvedOptions['rawReads']): boolean {
  const type: string | undefined = options.type;
  if (type === undefined || type === RAW) return rawReads === 'primary';
  return type !== SELECT;
}

function wishOf({ asked }: Frame): Target | undefined {
  return asked?.active ? asked.target : undefined;
}
