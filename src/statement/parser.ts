import { createRequire } from 'node:module';
import type * as LibPgQuery from 'libpg-query';
import { isTooComplex } from './parse-guard';

type PgQuery = typeof LibPgQuery;

/** The outcome of a parse: a tree, or why there is none. */
export type Parsed = { readonly tree: unknown } | { readonly failure: ParseFailure };
export type ParseFailure = 'parser-not-loaded' | 'parser-failed' | 'too-complex' | 'syntax';

const requireHere = createRequire(__filename);
const MODULE = 'libpg-query';

let parser: PgQuery | undefined;
let loading: Promise<void> | undefined;
/** Whether the instance that `require` would give is the broken one. */
let broken = false;

/**
 * Loads the PostgreSQL parser; calls after the first wait for the same load, or for its
 * replacement.
 *
 * @throws when the WebAssembly module can't be compiled; a later call tries again
 */
export function loadParser(): Promise<void> {
  loading ??= load();
  return loading;
}

async function load(): Promise<void> {
  // On a stack of its own: a replacement is asked for where the old one has been used up.
  await Promise.resolve();
  try {
    if (broken) Reflect.deleteProperty(requireHere.cache, requireHere.resolve(MODULE));
    broken = false;
    const fresh = requireHere(MODULE) as PgQuery;
    await fresh.loadModule();
    parser = fresh;
  } catch (error) {
    loading = undefined;
    throw error;
  }
}

/**
 * A stack overflow or an abort inside WebAssembly leaves its own stack pointer and error state
 * behind: after a few of them (29 were counted) it answers nonsense. So the instance is dropped and
 * a new one made. Until that is ready nothing is parsed.
 */
function replaceParser(): void {
  parser = undefined;
  broken = true;
  loading = load();
  // With no new instance every text stays unreadable, which callers are told by
  // `parser-not-loaded`.
  loading.catch(() => undefined);
}

/** The raw parse tree of a text of any number of statements. Never throws. */
export function parseStatements(sql: string): Parsed {
  // The module refuses the one text it need not parse.
  return run(sql, (module) => (sql === '' ? { stmts: [] } : module.parseSync(sql)));
}

/**
 * The tree of the PL/pgSQL functions and DO blocks in a text. Never throws. The text must not hold
 * a `BEGIN ATOMIC` body: that aborts the module.
 */
export function parseProcedural(sql: string): Parsed {
  return run(sql, (module) => module.parsePlPgSQLSync(sql));
}

function run(sql: string, parse: (module: PgQuery) => unknown): Parsed {
  if (parser === undefined) return { failure: 'parser-not-loaded' };
  if (isTooComplex(sql)) return { failure: 'too-complex' };
  try {
    return { tree: parse(parser) };
  } catch (error) {
    if (!isFault(error)) return { failure: 'syntax' };
    replaceParser();
    return { failure: 'parser-failed' };
  }
}

function isFault(error: unknown): boolean {
  return error instanceof RangeError || (error instanceof Error && error.name === 'RuntimeError');
}
