import fc from 'fast-check';

const TOKENS = [
  ...'BY OVER FILTER SETS GROUPING MATERIALIZED INNER OUTER SELECT FROM WHERE WITH AS UNION VALUES TABLE INSERT INTO UPDATE SET DELETE MERGE RETURNING FOR SHARE IN NOT NULL TRUE DEFAULT ORDER BY LIMIT ON JOIN CASE WHEN THEN END AND OR ARRAY ROW EXISTS INTERVAL DATE DO COPY BEGIN COMMIT search_path'.split(
    ' ',
  ),
  ...'users "Users" "a ""b" u.x s.t *  lower count( nextval( own( pg_advisory_lock( "f"( s.count( now() set_config( varchar(3) u& U&"x" e'.split(
    ' ',
  ),
  ...`'a' 'it''s' '\\' E'\\'' E'a' e'b' B'1' N'x' U&'x' '(' ';' 'search_path' $$ $a$ $1 $2 1 2.5 -3 .5 1e3 1a 0x1 1_0`.split(
    ' ',
  ),
  ...`( ) [ ] , ; . :: = + - / -> ->> ? @> := => -- /* */ ' "`.split(' '),
  '\n',
  '-- c\n',
  '/* ( ; */',
  '\u00a0',
  'é',
];

/** Texts that are SQL in their parts, seldom as a whole. */
export const tokenSoup = fc
  .array(fc.tuple(fc.constantFrom(...TOKENS), fc.constantFrom(' ', ' ', '', '\n')), {
    maxLength: 24,
  })
  .map((tokens) => tokens.flat().join(''));

/** The same behind a word that makes a query of it. */
export const querySoup = fc
  .tuple(
    fc.constantFrom(
      'SELECT ',
      'WITH ',
      'VALUES (',
      '(SELECT ',
      'INSERT INTO t VALUES ',
      'UPDATE t SET x = ',
    ),
    tokenSoup,
  )
  .map((parts) => parts.join(''));

export const literal = fc.oneof(
  fc.integer({ min: -1_000_000, max: 1_000_000 }).map(String),
  fc.double({ min: -1000, max: 1000, noNaN: true }).map((value) => value.toFixed(3)),
  fc
    .string({ unit: 'grapheme-ascii', maxLength: 12 })
    .map((text) => `'${text.replaceAll("'", "''")}'`),
  fc.constantFrom(
    'NULL',
    'TRUE',
    'false',
    "'search_path'",
    "'role'",
    `E'a\\'b'`,
    '$1',
    "'a'\n 'b'",
    "B'101'",
    "DATE '2024-01-01'",
    "'x'::text",
    '-1',
  ),
);

const blank = fc.constantFrom(' ', ' ', ' ', '\n', ' /* ) ; */ ', " -- ' (\n");
const table = fc.constantFrom('users', '"Users"', 'public.posts', '"s"."t"', 'x', '"a b"', 'TÄBLE');
const column = fc.constantFrom('id', '"createdAt"', 'x.display', '"User"."n"', 'status');
const functionName = fc.constantFrom(
  'lower',
  'count',
  'now',
  'coalesce',
  'own_function',
  'nextval',
  'set_config',
  'public.f',
  '"F"',
  'jsonb_agg',
);

const { expression, query } = fc.letrec<{ expression: string; query: string }>((tie) => ({
  expression: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    literal,
    column,
    fc
      .tuple(functionName, fc.array(tie('expression'), { maxLength: 3 }))
      .map(([name, list]) => `${name}(${list.join(', ')})`),
    fc
      .tuple(
        tie('expression'),
        fc.constantFrom('+', '||', '=', 'AND', 'OR', '->>', '-'),
        blank,
        tie('expression'),
      )
      .map((parts) => parts.join(' ')),
    fc
      .tuple(column, fc.array(literal, { minLength: 1, maxLength: 5 }))
      .map(([name, list]) => `${name} IN (${list.join(', ')})`),
    tie('query').map((text) => `(${text})`),
    tie('query').map((text) => `EXISTS (${text})`),
    fc
      .array(tie('expression'), { minLength: 1, maxLength: 3 })
      .map((list) => `ARRAY[${list.join(',')}]`),
    tie('expression').map((text) => `CASE WHEN ${text} THEN 1 ELSE NULL END`),
  ),
  query: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc
      .tuple(
        fc.array(tie('expression'), { minLength: 1, maxLength: 3 }),
        blank,
        table,
        tie('expression'),
        fc.constantFrom('', '', '', ' LIMIT 5', ' ORDER BY 1, 2', ' FOR UPDATE'),
      )
      .map(
        ([list, gap, from, where, end]) =>
          `SELECT${gap}${list.join(', ')}${gap}FROM ${from} WHERE ${where}${end}`,
      ),
    fc.tuple(tie('query'), tie('query')).map(([left, right]) => `(${left}) UNION (${right})`),
    fc
      .tuple(
        table.filter((name) => !name.includes('.')),
        tie('query'),
        tie('query'),
      )
      .map(([name, inner, outer]) => `WITH ${name} AS (${inner}) ${outer}`),
    fc
      .array(fc.array(literal, { minLength: 2, maxLength: 2 }), { minLength: 1, maxLength: 4 })
      .map((rows) => `VALUES ${rows.map((row) => `(${row.join(',')})`).join(', ')}`),
  ),
}));

/** Statements that mostly parse. */
export const statement = fc.oneof(
  { weight: 4, arbitrary: query },
  fc
    .tuple(
      table,
      fc.array(fc.array(expression, { minLength: 2, maxLength: 2 }), {
        minLength: 1,
        maxLength: 5,
      }),
      fc.constantFrom(
        '',
        ' ON CONFLICT (id) DO UPDATE SET x = 1',
        ' RETURNING *',
        ' ON CONFLICT DO NOTHING',
      ),
    )
    .map(
      ([into, rows, end]) =>
        `INSERT INTO ${into} VALUES ${rows.map((row) => `(${row.join(',')})`).join(',')}${end}`,
    ),
  fc
    .tuple(table, expression, expression)
    .map(([name, value, where]) => `UPDATE ${name} SET x = ${value}, y = DEFAULT WHERE ${where};`),
  fc
    .tuple(table, table, expression)
    .map(([name, using, where]) => `DELETE FROM ${name} USING ${using} WHERE ${where}`),
  fc.tuple(query, query).map(([first, second]) => `${first}; ${second}`),
  query.map((text) => `SET search_path TO 'a'; ${text}`),
);
