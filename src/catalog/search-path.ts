import type { SettingsRow } from './queries';

const SYSTEM = /^pg_(temp|toast)|^pg_catalog$|^information_schema$/;

/** The schemas named in a search_path setting, in order: `"$user", public` gives `alice`, `public`. */
export function parseSearchPath(setting: string, user: string): readonly string[] {
  const schemas: string[] = [];
  for (const [, quoted, bare] of setting.matchAll(/"((?:[^"]|"")*)"|([^\s,"]+)/g)) {
    const schema = quoted === undefined ? (bare ?? '').toLowerCase() : quoted.replaceAll('""', '"');
    schemas.push(schema === '$user' ? user : schema);
  }
  return schemas;
}

/**
 * Where bare names are looked up. The connection at hand may have been given another path than new
 * ones have, so both count: one schema too many costs a read of the primary, one too few a stale read.
 */
export function searchPathOf(
  settings: SettingsRow,
  existing: ReadonlySet<string>,
): readonly string[] {
  const path = [...settings.currentPath, ...parseSearchPath(settings.defaultPath, settings.user)];
  return [...new Set(path)].filter((schema) => existing.has(schema));
}

/** The schema whose relations have bare keys: the first of the default path that exists. */
export function defaultSchemaOf(settings: SettingsRow, existing: ReadonlySet<string>): string {
  const candidates = [
    ...parseSearchPath(settings.defaultPath, settings.user),
    ...settings.currentPath,
  ];
  return candidates.find((schema) => existing.has(schema) && !SYSTEM.test(schema)) ?? 'public';
}
