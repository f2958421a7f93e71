import { Bodies } from './bodies';
import { buildModel } from './build';
import { keysIn, LoadedCatalog } from './catalog';
import { Effects } from './effects';
import { readFingerprint } from './fingerprint';
import { Names } from './names';
import { applyRelatedTables } from './related-tables';
import { type CatalogParts, type PartName, partQuery, type SettingsRow } from './queries';
import { defaultSchemaOf, searchPathOf } from './search-path';
import type { Catalog, CatalogOptions, CatalogQuery } from './types';

const PARTS: readonly Exclude<PartName, 'settings'>[] = [
  ...([
    'relations',
    'foreignKeys',
    'triggers',
    'rules',
    'policies',
    'expressions',
    'inheritance',
  ] as const),
  ...(['partitioning', 'columns', 'builtins', 'routines', 'implicit'] as const),
];

/**
 * Reads the catalog of a database: a dozen statements, one after another, a few hundred milliseconds
 * for 2,000 tables. A part that this role may not read is warned of, and what needs it counts as unknown.
 *
 * The bodies of functions are read here too, in short slices, and only those that changed since the last time.
 *
 * @throws what `query` throws for the fingerprint or for the settings of the session, and what `analyseBody` throws.
 */
export async function loadCatalog(query: CatalogQuery, options: CatalogOptions): Promise<Catalog> {
  const warn = options.onWarning ?? (() => undefined);
  const fingerprint = await readFingerprint(query);
  const settings = await readSettings(query);
  const { parts, failed } = await readParts(query, settings);
  if (failed.size > 0) warn(unreadParts(failed));

  const existing = new Set(parts.relations.map((relation) => relation.schema));
  const searchPath = searchPathOf(settings, existing);
  const defaultSchema = defaultSchemaOf(settings, existing);
  const model = buildModel(parts, keysIn(defaultSchema), new Set(failed.keys()));
  const names = new Names(
    searchPath,
    model.relations.values(),
    model.routines.values(),
    new Set(parts.builtins.map((builtin) => builtin.name)),
    new Set(parts.routines.filter((row) => row.attribute).map((row) => row.oid)),
  );
  applyRelatedTables(options.relatedTables ?? {}, model.relations, names, warn);
  const bodies = new Bodies(options.analyseBody);
  await bodies.readAll(model.routines.values());
  const effects = new Effects(names, bodies);
  const incomplete = [...failed.values()].some((error) => !isRefusal(error));
  return new LoadedCatalog({
    ...{ fingerprint, incomplete, searchPath, defaultSchema },
    ...{ model, names, effects },
  });
}

async function readSettings(query: CatalogQuery): Promise<SettingsRow> {
  const [settings] = await readPart(query, 'settings');
  if (settings === undefined) throw new Error('the settings of the session came without a row');
  return settings;
}

async function readPart<P extends PartName>(
  query: CatalogQuery,
  part: P,
): Promise<CatalogParts[P]> {
  const rows = await query(partQuery(part));
  return JSON.parse(String(rows[0]?.['part'])) as CatalogParts[P];
}

async function readParts(
  query: CatalogQuery,
  settings: SettingsRow,
): Promise<{ parts: CatalogParts; failed: ReadonlyMap<PartName, unknown> }> {
  const parts: Partial<Record<PartName, readonly unknown[]>> = { settings: [settings] };
  const failed = new Map<PartName, unknown>();
  for (const part of PARTS) {
    try {
      parts[part] = await readPart(query, part);
    } catch (error) {
      failed.set(part, error);
      parts[part] = [];
    }
  }
  // Every part is set by the loop; each was read by the statement of that name.
  return { parts: parts as unknown as CatalogParts, failed };
}

function unreadParts(failed: ReadonlyMap<PartName, unknown>): string {
  const details = [...failed].map(
    ([part, error]) => `${part}: ${error instanceof Error ? error.message : String(error)}`,
  );
  return `Parts of the catalog could not be read, so statements that need them count as touching every table (${details.join('; ')}).`;
}

/** Insufficient privilege, or a server that has no such relation, function or column: it stays so. */
const REFUSALS: ReadonlySet<unknown> = new Set(['42501', '42P01', '42883', '42703']);

function isRefusal(error: unknown): boolean {
  const { code, parent } = error as { code?: unknown; parent?: { code?: unknown } };
  return REFUSALS.has(parent?.code ?? code);
}
