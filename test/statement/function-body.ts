import { analyseFunction } from '../../src/statement';

type Analysis = ReturnType<typeof analyseFunction>;

/** What a body needs to know of its routine when it comes without its definition. */
interface RoutineShape {
  /** The parameter list as text, `a integer, OUT b text` (default: none). */
  readonly parameters?: string;
  /** The result type as text, `SETOF users` (default: `trigger`). */
  readonly returns?: string;
}

/**
 * Analyses a body alone. PL/pgSQL checks assignments and RETURN against the parameters and the
 * result type: one that does not fit the shape gives an analysis that may touch anything. Never
 * throws.
 */
export function analyseFunctionBody(
  language: string,
  body: string,
  shape: RoutineShape = {},
): Analysis {
  let tag = '$body$';
  while (body.includes(tag)) tag = `$x${tag.slice(1)}`;
  const { parameters = '', returns = 'pg_catalog.trigger' } = shape;
  return analyseFunction(
    `CREATE FUNCTION f(${parameters}) RETURNS ${returns} LANGUAGE "${language.replaceAll('"', '""')}" AS ${tag}${body}${tag}`,
  );
}
