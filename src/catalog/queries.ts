import { writingBuiltins } from './builtin';
import { FIRST_USER_OID } from './fingerprint';

/*
 * The parts of the catalog, one statement each, so that a role that may not read one of them still
 * gets the others. Each gives a single JSON text: type parsers set by the application can't touch it.
 */

/** Object ids that an expression or a query tree mentions: `r<oid>` a relation, `f<oid>` a function. */
export type Reference = string;

export interface SettingsRow {
  readonly currentPath: readonly string[];
  /** search_path as new sessions get it, unparsed: the connection at hand may have been told otherwise. */
  readonly defaultPath: string;
  readonly user: string;
  readonly replicationRole: string;
}

export interface RelationRow {
  readonly oid: number;
  readonly schema: string;
  readonly name: string;
  readonly kind: 'r' | 'p' | 'v' | 'm' | 'f' | 'S';
  readonly persistence: 'p' | 'u' | 't';
  readonly rowSecurity: boolean;
  /** Bits of INSERT, UPDATE and DELETE that a view passes on to what it is built on. */
  readonly updatable: number;
}

export interface ForeignKeyRow {
  readonly from: number;
  readonly to: number;
  readonly onUpdate: string;
  readonly onDelete: string;
  readonly fromColumns: readonly string[];
  readonly toColumns: readonly string[];
  /** A referenced column is computed by the server, so an update needn't name it to change it. */
  readonly computed: boolean;
}

export interface TriggerRow {
  readonly relation: number;
  readonly routine: number;
  readonly type: number;
  readonly enabled: string;
  /** The columns of UPDATE OF; empty: any. */
  readonly columns: readonly string[];
  readonly computed: boolean;
  readonly transitionTables: readonly string[];
  readonly references: readonly Reference[];
}

export interface RuleRow {
  readonly relation: number;
  /** 1 SELECT, 2 UPDATE, 3 INSERT, 4 DELETE. */
  readonly event: string;
  readonly references: readonly Reference[];
}

export interface ExpressionRow {
  readonly relation: number;
  readonly references: readonly Reference[];
}

export interface InheritanceRow {
  readonly parent: number;
  readonly child: number;
}

export interface PartitioningRow {
  readonly relation: number;
  /** The columns of the partition key; null where it is an expression. */
  readonly columns: readonly string[] | null;
}

export interface ColumnsRow {
  readonly relation: number;
  readonly columns: readonly string[];
}

export interface BuiltinRow {
  readonly oid: number;
  readonly name: string;
  readonly volatile: boolean;
}

export interface RoutineRow {
  readonly oid: number;
  readonly schema: string;
  readonly name: string;
  readonly language: string;
  /** The text between the quotes; empty where it is standard SQL (BEGIN ATOMIC or RETURN). */
  readonly body: string;
  readonly definition: string | null;
  readonly config: readonly string[] | null;
  readonly extension: string | null;
  /** May be written as an attribute: `u.display` for `display(u)`. */
  readonly attribute: boolean;
  /** What an aggregate is made of. */
  readonly support: readonly number[] | null;
  /** What the defaults of its arguments mention. */
  readonly references: readonly Reference[];
}

export interface ImplicitRow {
  readonly routine: number;
}

/** The rows of each part. */
export interface CatalogParts {
  readonly settings: readonly SettingsRow[];
  readonly relations: readonly RelationRow[];
  readonly foreignKeys: readonly ForeignKeyRow[];
  readonly triggers: readonly TriggerRow[];
  readonly rules: readonly RuleRow[];
  readonly policies: readonly ExpressionRow[];
  readonly expressions: readonly ExpressionRow[];
  readonly inheritance: readonly InheritanceRow[];
  readonly partitioning: readonly PartitioningRow[];
  readonly columns: readonly ColumnsRow[];
  readonly builtins: readonly BuiltinRow[];
  readonly routines: readonly RoutineRow[];
  readonly implicit: readonly ImplicitRow[];
}

export type PartName = keyof CatalogParts;

/**
 * pg_depend doesn't record what the server itself came with, so calls such as nextval() and reads of
 * system views are found in the stored trees, where every function and relation stands with its id.
 */
const references = (...trees: string[]): string => `ARRAY(
  SELECT DISTINCT CASE m[1] WHEN 'relid' THEN 'r' ELSE 'f' END || m[2]
  FROM pg_catalog.regexp_matches(pg_catalog.concat_ws(' ', ${trees.map((tree) => `${tree}::text`).join(', ')}),
    ':(relid|funcid|opfuncid|aggfnoid|winfnoid) ([1-9][0-9]*)', 'g') m)`;

const columnNames = (relation: string, numbers: string): string => `ARRAY(
  SELECT a.attname::text FROM pg_catalog.pg_attribute a
  WHERE a.attrelid = ${relation} AND a.attnum = ANY (${numbers}))`;

const anyComputed = (relation: string, numbers: string): string => `EXISTS (
  SELECT FROM pg_catalog.pg_attribute a
  WHERE a.attrelid = ${relation} AND a.attnum = ANY (${numbers}) AND a.attgenerated <> '')`;

const support = [
  'transfn',
  'finalfn',
  'combinefn',
  'serialfn',
  'deserialfn',
  'mtransfn',
  'minvtransfn',
  'mfinalfn',
]
  .map((column) => `g.agg${column}::oid::int8`)
  .join(', ');

const SELECTS: Readonly<Record<PartName, string>> = {
  settings: `SELECT
      pg_catalog.current_schemas(true)::text[] AS "currentPath",
      (SELECT reset_val FROM pg_catalog.pg_settings WHERE name = 'search_path') AS "defaultPath",
      current_user::text AS "user",
      pg_catalog.current_setting('session_replication_role') AS "replicationRole"`,

  relations: `SELECT c.oid::int8 AS oid, n.nspname AS schema, c.relname AS name, c.relkind AS kind,
      c.relpersistence AS persistence, c.relrowsecurity AS "rowSecurity",
      CASE WHEN c.relkind = 'v' AND c.oid >= ${FIRST_USER_OID}
        THEN pg_catalog.pg_relation_is_updatable(c.oid, false) ELSE 0 END AS updatable
    FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f', 'S') AND n.nspname !~ '^pg_(temp|toast)'`,

  foreignKeys: `SELECT k.conrelid::int8 AS "from", k.confrelid::int8 AS "to",
      k.confupdtype AS "onUpdate", k.confdeltype AS "onDelete",
      ${columnNames('k.conrelid', 'k.conkey')} AS "fromColumns",
      ${columnNames('k.confrelid', 'k.confkey')} AS "toColumns",
      ${anyComputed('k.confrelid', 'k.confkey')} AS computed
    FROM pg_catalog.pg_constraint k WHERE k.contype = 'f'`,

  // Up to version 14 the copies of a trigger on partitions pass for internal ones.
  triggers: `SELECT t.tgrelid::int8 AS relation, t.tgfoid::int8 AS routine, t.tgtype AS type, t.tgenabled AS enabled,
      ${columnNames('t.tgrelid', 't.tgattr::int2[]')} AS columns,
      ${anyComputed('t.tgrelid', 't.tgattr::int2[]')} AS computed,
      pg_catalog.array_remove(ARRAY[t.tgoldtable, t.tgnewtable]::text[], NULL) AS "transitionTables",
      ${references('t.tgqual')} AS references
    FROM pg_catalog.pg_trigger t WHERE NOT t.tgisinternal OR t.tgfoid >= ${FIRST_USER_OID}`,

  rules: `SELECT r.ev_class::int8 AS relation, r.ev_type AS event,
      ${references('r.ev_qual', 'r.ev_action')} AS references
    FROM pg_catalog.pg_rewrite r WHERE r.ev_enabled <> 'D'`,

  policies: `SELECT p.polrelid::int8 AS relation, ${references('p.polqual', 'p.polwithcheck')} AS references
    FROM pg_catalog.pg_policy p`,

  // There is one of these for every default value: those that call nothing of interest are left out first.
  expressions: `SELECT e.relation::int8 AS relation, ${references('e.tree')} AS references FROM (
      SELECT d.adrelid AS relation, d.adbin::text AS tree FROM pg_catalog.pg_attrdef d
      UNION ALL
      SELECT k.conrelid, k.conbin::text FROM pg_catalog.pg_constraint k
        WHERE k.contype = 'c' AND k.conrelid >= ${FIRST_USER_OID}
      UNION ALL
      SELECT p.partrelid, p.partexprs::text FROM pg_catalog.pg_partitioned_table p WHERE p.partexprs IS NOT NULL
      UNION ALL
      SELECT i.indrelid, pg_catalog.concat_ws(' ', i.indexprs::text, i.indpred::text) FROM pg_catalog.pg_index i
        WHERE i.indexprs IS NOT NULL OR i.indpred IS NOT NULL
    ) e WHERE e.tree ~ (SELECT pg_catalog.concat(':(funcid|opfuncid) ([1-9][0-9]{4,}',
        pg_catalog.string_agg('|' || p.oid, ''), ')( |$)')
      FROM pg_catalog.pg_proc p
      WHERE p.oid < ${FIRST_USER_OID} AND p.proname IN (${writingBuiltins.map((name) => `'${name}'`).join(', ')}))`,

  inheritance: `SELECT i.inhparent::int8 AS parent, i.inhrelid::int8 AS child FROM pg_catalog.pg_inherits i
    JOIN pg_catalog.pg_class c ON c.oid = i.inhrelid WHERE c.relkind IN ('r', 'p', 'f')`,

  partitioning: `SELECT p.partrelid::int8 AS relation,
      CASE WHEN p.partexprs IS NULL THEN ${columnNames('p.partrelid', 'p.partattrs::int2[]')} END AS columns
    FROM pg_catalog.pg_partitioned_table p`,

  columns: `SELECT a.attrelid::int8 AS relation, pg_catalog.array_agg(a.attname::text) AS columns
    FROM pg_catalog.pg_attribute a
    WHERE a.attnum > 0 AND NOT a.attisdropped AND a.attrelid IN (
      SELECT confrelid FROM pg_catalog.pg_constraint WHERE contype = 'f' AND confupdtype IN ('c', 'n', 'd')
      UNION SELECT tgrelid FROM pg_catalog.pg_trigger WHERE pg_catalog.array_length(tgattr::int2[], 1) > 0
      UNION SELECT partrelid FROM pg_catalog.pg_partitioned_table)
    GROUP BY a.attrelid`,

  builtins: `SELECT p.oid::int8 AS oid, p.proname AS name,
      p.provolatile = 'v' AND p.prorettype <> 'pg_catalog.trigger'::pg_catalog.regtype AS volatile
    FROM pg_catalog.pg_proc p WHERE p.oid < ${FIRST_USER_OID}`,

  routines: `SELECT p.oid::int8 AS oid, n.nspname AS schema, p.proname AS name, l.lanname AS language,
      p.prosrc AS body,
      CASE WHEN l.lanname IN ('sql', 'plpgsql') AND p.prokind <> 'a' THEN pg_catalog.pg_get_functiondef(p.oid) END AS definition,
      p.proconfig AS config, e.extname AS extension,
      p.prokind = 'f' AND p.pronargs >= 1 AND p.pronargs - p.pronargdefaults <= 1
        AND COALESCE(t.typtype IN ('c', 'd', 'p'), false) AS attribute,
      CASE WHEN g.aggfnoid IS NOT NULL THEN pg_catalog.array_remove(ARRAY[${support}], 0) END AS support,
      ${references('p.proargdefaults')} AS references
    FROM pg_catalog.pg_proc p
      JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
      JOIN pg_catalog.pg_language l ON l.oid = p.prolang
      LEFT JOIN pg_catalog.pg_type t ON p.pronargs >= 1 AND t.oid = p.proargtypes[0]
      LEFT JOIN pg_catalog.pg_aggregate g ON g.aggfnoid = p.oid
      LEFT JOIN pg_catalog.pg_depend d ON d.classid = 'pg_catalog.pg_proc'::pg_catalog.regclass AND d.objid = p.oid
        AND d.deptype = 'e' AND d.refclassid = 'pg_catalog.pg_extension'::pg_catalog.regclass
      LEFT JOIN pg_catalog.pg_extension e ON e.oid = d.refobjid
    WHERE p.oid >= ${FIRST_USER_OID} AND n.nspname !~ '^pg_temp'`,

  implicit: `SELECT DISTINCT u.routine::int8 AS routine FROM (
      SELECT castfunc AS routine FROM pg_catalog.pg_cast
      UNION ALL SELECT oprcode::oid FROM pg_catalog.pg_operator
      UNION ALL SELECT amproc::oid FROM pg_catalog.pg_amproc
      UNION ALL SELECT rngcanonical::oid FROM pg_catalog.pg_range
      UNION ALL SELECT rngsubdiff::oid FROM pg_catalog.pg_range
      UNION ALL SELECT m[1]::oid FROM (
          SELECT conbin::text AS tree FROM pg_catalog.pg_constraint
            WHERE contype = 'c' AND contypid >= ${FIRST_USER_OID}
          UNION ALL SELECT typdefaultbin::text FROM pg_catalog.pg_type WHERE typtype = 'd'
        ) d, pg_catalog.regexp_matches(d.tree, ':(?:funcid|opfuncid) ([1-9][0-9]*)', 'g') m
    ) u WHERE u.routine >= ${FIRST_USER_OID}`,
};

/** The statement that reads one part. */
export function partQuery(part: PartName): string {
  return `SELECT COALESCE(pg_catalog.json_agg(part), '[]')::text AS part FROM (${SELECTS[part]}) part`;
}
