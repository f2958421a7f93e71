import { ACTS, type CallEffect, HARMLESS, HIDDEN, PRIMARY_ONLY } from './builtin';

/*
 * C functions can't be read. Those of well-known extensions are trusted by the name of the extension;
 * what stands in `except` is judged apart. Functions of an extension in SQL or PL/pgSQL are read like any other.
 */
interface Trust {
  readonly effect: CallEffect;
  readonly except?: Readonly<Record<string, CallEffect>>;
}

const HARMLESS_EXTENSIONS = [
  'bloom btree_gin btree_gist citext cube dict_int dict_xsyn earthdistance fuzzystrmatch hstore hypopg intagg',
  'intarray ip4r isn ltree moddatetime autoinc insert_username pg_bigm pg_hashids pg_trgm pg_uuidv7 pgcrypto',
  'plpgsql prefix rum seg semver tsm_system_rows tsm_system_time unaccent unit uuid-ossp vector',
]
  .join(' ')
  .split(' ');

/** Reads projections from this table, whichever function is called. */
const POSTGIS: CallEffect = { ...HARMLESS, reads: ['spatial_ref_sys'] };

/** These show pages, counters or files of the node that runs them. */
const NODE_EXTENSIONS =
  'amcheck pg_freespacemap pg_logicalinspect pg_walinspect pageinspect pgstattuple sslinfo'.split(
    ' ',
  );

const TRUSTED: ReadonlyMap<string, Trust> = new Map<string, Trust>([
  ...HARMLESS_EXTENSIONS.map((name) => [name, { effect: HARMLESS }] as const),
  ...NODE_EXTENSIONS.map((name) => [name, { effect: PRIMARY_ONLY }] as const),
  ['postgis', { effect: POSTGIS }],
  ['postgis_raster', { effect: POSTGIS }],
  ['postgis_topology', { effect: POSTGIS }],
  ['refint', { effect: HIDDEN, except: { check_primary_key: HARMLESS } }],
  ['lo', { effect: { ...ACTS, writes: ['pg_largeobject'] } }],
  ['tcn', { effect: ACTS }],
  ['pg_prewarm', { effect: ACTS }],
  [
    'pg_buffercache',
    {
      effect: PRIMARY_ONLY,
      except: {
        pg_buffercache_evict: ACTS,
        pg_buffercache_evict_relation: ACTS,
        pg_buffercache_evict_all: ACTS,
      },
    },
  ],
  ['pg_visibility', { effect: PRIMARY_ONLY, except: { pg_truncate_visibility_map: ACTS } }],
  ['pg_stat_statements', { effect: PRIMARY_ONLY, except: { pg_stat_statements_reset: ACTS } }],
  [
    'postgres_fdw',
    {
      effect: PRIMARY_ONLY,
      except: {
        postgres_fdw_handler: HARMLESS,
        postgres_fdw_validator: HARMLESS,
        postgres_fdw_disconnect: ACTS,
        postgres_fdw_disconnect_all: ACTS,
      },
    },
  ],
  ['file_fdw', { effect: HARMLESS }],
  ['tablefunc', { effect: HIDDEN, except: { normal_rand: HARMLESS } }],
  ['xml2', { effect: HARMLESS, except: { xpath_table: HIDDEN } }],
]);

/** What a C function of an extension does; undefined: not known. */
export function extensionEffect(extension: string, routine: string): CallEffect | undefined {
  const trust = TRUSTED.get(extension);
  return trust === undefined ? undefined : (trust.except?.[routine] ?? trust.effect);
}
