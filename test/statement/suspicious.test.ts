import { expect } from 'chai';
import { suspicious } from '../../src/statement';
import { DEFINITIONS, OTHERS, SESSIONS, UNREADABLE, WRITES } from './corpus';

const FINDER =
  'SELECT "User"."id", "User"."name", count("posts"."id") AS "postCount" FROM "users" AS "User" ' +
  'LEFT OUTER JOIN ( "user_posts" AS "p" INNER JOIN "posts" AS "posts" ON "posts"."id" = "p"."postId") ON "User"."id" = "p"."userId" ' +
  `WHERE ("User"."deletedAt" IS NULL AND "User"."name" ILIKE '%it''s; DELETE FROM x (%' AND "User"."id" IN (1, 2, -3)) ` +
  'GROUP BY "User"."id" ORDER BY "User"."name" DESC LIMIT 10 OFFSET 20;';

describe('statement: first look', () => {
  const plain = [
    FINDER,
    'SELECT 1+1 AS result',
    'select * from users',
    '  \n\t(SELECT 1) UNION (SELECT 2)',
    '-- a comment; DELETE FROM x\nSELECT 1',
    '/* UPDATE /* nested */ x(1) */ SELECT 1',
    'WITH x AS (SELECT 1) SELECT * FROM x',
    'WITH x AS MATERIALIZED (SELECT 1), y AS (SELECT 2) SELECT * FROM x, y',
    'SELECT a FROM x INNER JOIN (y JOIN z ON true) ON true GROUP BY (a), GROUPING SETS ((a)) ORDER BY (a)',
    'SELECT a::character varying(3) FROM t',
    'VALUES (1), (2)',
    'TABLE users',
    'SELECT lower("x"), COUNT(*), Coalesce(a, b), now() FROM t',
    'SELECT count /* x */ (*) FROM t',
    'SELECT count(*) FILTER (WHERE a IN (1)) OVER (PARTITION BY (b)) FROM t',
    'SELECT CAST(x AS VARCHAR(255)), x::numeric(10, 2), x::TIMESTAMP(3) FROM t',
    `SELECT E'it\\'s; DELETE', e'\\\\' FROM t`,
    `SELECT E'a'\n  'b\\' ; DELETE FROM x' FROM t`,
    `SELECT 'a\\' , "b"`,
    'SELECT "insert", "update"."delete" FROM "into"',
    'SELECT updated, deleted_at, format, inserted FROM t',
    'SELECT * FROM t WHERE a = $1 AND b = $2',
    'SELECT * FROM t WHERE a = 1.5 AND b > -.5',
    "SELECT * FROM t WHERE x->>'a' = 'b' AND y @> '{}' AND z ? 'k'",
    'SELECT * FROM t; ',
    'SELECT * FROM t; -- the end\n/* really */ ',
    'SELECT pg_is_in_recovery(), inet_server_port()',
    'SELECT * FROM a WHERE EXISTS (SELECT 1 FROM b) AND x = ANY (ARRAY[1]) AND NOT (y) OR (z)',
    'SELECT naïve, "ünï" FROM täble',
  ];
  for (const sql of plain) {
    it(`lets pass: ${sql.slice(0, 70)}`, () => {
      expect(suspicious(sql)).to.equal(false);
    });
  }

  const doubtful = [
    '',
    '   ',
    ';',
    '-- SELECT 1',
    '()',
    'SELECT * FROM t FOR UPDATE',
    'SELECT * FROM t for/**/share',
    'SELECT 1; SELECT 2',
    'SELECT 1;;',
    'SELECT 1; /* open',
    'WITH x AS (UPDATE t SET a = 1 RETURNING *) SELECT * FROM x',
    'WITH x AS (delete from t RETURNING *) SELECT * FROM x',
    'SELECT * INTO x FROM t',
    "SELECT nextval('s')",
    "SELECT setval('s', 1)",
    "SELECT currval('s'), lastval()",
    'SELECT pg_advisory_lock(1)',
    'SELECT pg_try_advisory_xact_lock (1)',
    "SELECT pg_notify('c', 'x')",
    "SELECT set_config('a.b', 'c', false)",
    'SELECT lo_get(1), txid_current(), pg_current_xact_id()',
    "SELECT query_to_xml('delete from t returning 1', true, false, '')",
    "SELECT * FROM dblink('x', 'y') AS t(a int)",
    'SELECT own_function(1)',
    'SELECT own_function /* ( */ -- (\n (1)',
    'SELECT x$count(1)',
    'SELECT "count"(*)',
    'SELECT public.lower(x)',
    'SELECT pg_catalog . nextval(1)',
    'SELECT public."f" (1)',
    'SELECT first(x) FROM t',
    'SELECT join(x), 1',
    'SELECT a, by(x)',
    'SELECT NOT sets(x)',
    'SELECT over(x)',
    'SELECT filter(x), cube(x), rollup(x)',
    'SELECT a + materialized(x)',
    'SELECT similar(x), ilike(x), inner(x), outer(x), partition(x), within(x)',
    'SELECT * FROM t AS k(key, ord)',
    'SELECT * FROM t TABLESAMPLE own (10)',
    `SELECT U&"\\0075sers"('x')`,
    `SELECT * FROM U&"\\0075sers"`,
    'SELECT $$ x $$',
    'SELECT $a$ x $a$',
    "SELECT 'open",
    'SELECT "open',
    "SELECT E'open\\'",
    'SELECT 1 /* open',
    'SELECT 1 \u0000',
    'SELECT 1a',
    'SELECT naïve(1)',
    'SELECT 3 OPERATOR(own.+) 4',
    'SELECT \u00a0count(*)',
  ];
  for (const sql of [...doubtful, ...[...WRITES, ...DEFINITIONS].map(([text]) => text)]) {
    it(`stops at: ${JSON.stringify(sql.slice(0, 70))}`, () => {
      expect(suspicious(sql)).to.equal(true);
    });
  }

  it('stops at every session command, transaction command and other statement', () => {
    const passed = [...SESSIONS, ...OTHERS].filter(([sql]) => !suspicious(sql)).map(([sql]) => sql);
    expect(passed).to.deep.equal([]);
  });

  it('stops at texts that can not be parsed for their quotes, NUL or numbers', () => {
    const texts = UNREADABLE.filter(([, problem]) => problem === 'nul-character').map(
      ([sql]) => sql,
    );
    expect(texts.every(suspicious)).to.equal(true);
  });
});
