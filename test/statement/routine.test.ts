import { expect } from 'chai';
import { analyseFunction, loadParser } from '../../src/statement';
import { describeAnalysis } from './describe-analysis';
import { analyseFunctionBody } from './function-body';

/** Every kind of PL/pgSQL statement, each with a relation of its own in every expression it has. */
const EVERYTHING = `
  DECLARE r record; c CURSOR (x int) FOR SELECT * FROM r1 WHERE id = x; n int := (SELECT count(*) FROM r2);
    u users%ROWTYPE; z users.id%TYPE; arr int[]; rc refcursor; k CONSTANT int := f1();
  BEGIN
    IF NEW.a > (SELECT 1 FROM r3) THEN NEW.a := f2(NEW.a); ELSIF (SELECT true FROM r4) THEN NULL; ELSE PERFORM 1 FROM r5; END IF;
    FOR r IN SELECT * FROM r6 LOOP PERFORM f3(r.id); END LOOP;
    OPEN c((SELECT 1 FROM r7)); OPEN rc FOR SELECT * FROM r8;
    FETCH RELATIVE (SELECT 1 FROM r9) FROM c INTO r; MOVE FORWARD (SELECT 3 FROM r10) FROM c; CLOSE c;
    SELECT a INTO STRICT n FROM r11;
    CALL f4((SELECT 1 FROM r12));
    RAISE NOTICE 'a %', (SELECT 1 FROM r13) USING HINT = (SELECT 'x' FROM r14);
    ASSERT (SELECT true FROM r15), (SELECT 'm' FROM r16);
    CASE (SELECT 1 FROM r17) WHEN (SELECT 2 FROM r18) THEN INSERT INTO w1 VALUES (1); ELSE DELETE FROM w2; END CASE;
    CASE WHEN (SELECT true FROM r19) THEN NULL; END CASE;
    WHILE EXISTS (SELECT 1 FROM r20) LOOP EXIT WHEN (SELECT true FROM r21); CONTINUE WHEN (SELECT true FROM r22); END LOOP;
    FOREACH n IN ARRAY (SELECT array[1] FROM r23) LOOP NULL; END LOOP;
    FOR i IN (SELECT 1 FROM r24)..(SELECT 3 FROM r25) BY (SELECT 3 FROM r26) LOOP NULL; END LOOP;
    FOR r IN c((SELECT 1 FROM r27)) LOOP NULL; END LOOP;
    arr[(SELECT 1 FROM r28)] := (SELECT 2 FROM r29); n = (SELECT 1 FROM r30);
    NEW."odd := name" := (SELECT 1 FROM r31);
    UPDATE w3 SET a = 1 WHERE CURRENT OF c;
    MERGE INTO w4 USING r32 ON true WHEN MATCHED THEN DELETE;
    TRUNCATE w5;
    GET DIAGNOSTICS n = ROW_COUNT;
    WITH x AS (INSERT INTO w6 SELECT * FROM r33 RETURNING *) SELECT * INTO r FROM x;
    BEGIN UPDATE w7 SET a = 1; EXCEPTION WHEN OTHERS THEN UPDATE w8 SET a = 1; RAISE; END;
    EXECUTE 'UPDATE w9 SET a = $1' USING (SELECT 1 FROM r34);
    FOR r IN EXECUTE 'SELECT 1 FROM r35' USING (SELECT 1 FROM r36) LOOP NULL; END LOOP;
    OPEN rc FOR EXECUTE 'SELECT 1 FROM r37' USING (SELECT 1 FROM r38);
    RETURN NEW;
  END`;

const numbered = (letter: string): string[] =>
  [...new Set(EVERYTHING.match(new RegExp(`\\b${letter}\\d+\\b`, 'g')))].sort();

describe('statement: routines', () => {
  before(loadParser);

  it('finds what every kind of PL/pgSQL statement touches', () => {
    const analysis = analyseFunctionBody('plpgsql', EVERYTHING);
    expect(analysis).to.include({ problem: undefined, readsUnknown: false, writesUnknown: false });
    expect(analysis.reads.map(({ name }) => name).sort()).to.deep.equal(numbered('r'));
    expect(analysis.writes.map(({ relation }) => relation.name).sort()).to.deep.equal(
      numbered('w'),
    );
    expect(analysis.functions.map(({ name }) => name).sort()).to.deep.equal([
      'count',
      ...numbered('f'),
    ]);
    expect([...analysis.identifiers]).to.include('id');
  });

  const definitions: readonly [string, string][] = [
    [
      `CREATE OR REPLACE PROCEDURE public.p(INOUT a integer, b text DEFAULT 'x'::text) LANGUAGE plpgsql AS $procedure$ BEGIN a := a+1; INSERT INTO t VALUES (a); COMMIT; CALL q(a); END $procedure$`,
      'other | write t:I | call q | commit',
    ],
    [
      `CREATE OR REPLACE FUNCTION public.f(VARIADIC args integer[]) RETURNS integer LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path TO 'public', 'pg_temp' AS $function$ BEGIN RETURN args[1] + (SELECT max(x) FROM t); END $function$`,
      'read | read t | call max',
    ],
    [
      `CREATE FUNCTION f(x anyelement, y my."Domain", z "Odd Type"[], n numeric(10,2)) RETURNS anyelement LANGUAGE plpgsql AS $$ BEGIN RETURN g(x); END $$`,
      'read | call g',
    ],
    [
      `CREATE FUNCTION f() RETURNS void LANGUAGE plpgsql AS $$ BEGIN DELETE FROM t; END $$`,
      'write | write t:D',
    ],
    [
      `CREATE FUNCTION f() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO t VALUES (tg_tag); END $$`,
      'write | write t:I',
    ],
    [
      `CREATE FUNCTION f(a int) RETURNS TABLE (id int, name text) LANGUAGE plpgsql AS $$ BEGIN RETURN QUERY SELECT * FROM t; RETURN QUERY EXECUTE 'SELECT * FROM u' USING (SELECT 1 FROM v); END $$`,
      'read | read t u v',
    ],
    [
      `CREATE FUNCTION f() RETURNS SETOF users LANGUAGE plpgsql AS $$ DECLARE r users; BEGIN FOR r IN SELECT * FROM t LOOP RETURN NEXT r; END LOOP; END $$`,
      'read | read t',
    ],
    [
      `CREATE FUNCTION f(integer) RETURNS integer LANGUAGE plpgsql AS $$ DECLARE q ALIAS FOR $1; BEGIN RETURN q + $1; END $$`,
      'read',
    ],
    [
      `CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $$ #variable_conflict use_column
      <<b>> DECLARE x int; BEGIN x := NEW.id; b.x := 3; NEW.updated_at = now(); IF tg_op = 'DELETE' THEN RETURN OLD; END IF; RETURN NEW; END $$`,
      'read | call now',
    ],
    [
      `CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN EXECUTE 'INSERT INTO ' || tg_argv[0]; RETURN NULL; END $$`,
      'read | reads-unknown writes-unknown',
    ],
    [
      `CREATE FUNCTION f() RETURNS void LANGUAGE plpgsql AS $$ BEGIN EXECUTE format('DELETE FROM %I', 'x'); END $$`,
      'read | call format | reads-unknown writes-unknown',
    ],
    [
      `CREATE FUNCTION f() RETURNS void LANGUAGE plpgsql AS $$ BEGIN SELECT * FROM a FOR UPDATE; CREATE TEMP TABLE b (); SET search_path TO x; END $$`,
      'other | read a | write pg_temp.b:X | locking path temporary',
    ],
    [
      `CREATE FUNCTION f(a int DEFAULT nextval('s')) RETURNS int LANGUAGE sql AS $$ SELECT 1 $$`,
      'read | call nextval',
    ],
    [
      `CREATE FUNCTION f(a int) RETURNS int LANGUAGE sql AS $$ UPDATE t SET a = $1; SELECT a FROM u $$`,
      'write | read u | write t:U',
    ],
    [`CREATE FUNCTION f(a int) RETURNS int LANGUAGE 'SQL' AS ' '`, 'other'],
    [
      `CREATE FUNCTION f(a int) RETURNS int LANGUAGE sql BEGIN ATOMIC INSERT INTO t (a) VALUES (f.a) RETURNING t.a; SELECT 1 FROM u; END`,
      'write | read u | write t:I',
    ],
    [
      `CREATE FUNCTION f() RETURNS int LANGUAGE sql RETURN (SELECT g(x) FROM u)`,
      'read | read u | call g',
    ],
    [`CREATE FUNCTION f() RETURNS int RETURN 1`, 'read'],
    [
      `CREATE FUNCTION f() RETURNS int LANGUAGE sql AS $$ DO 'BEGIN DELETE FROM t; END' $$`,
      'other | write t:D',
    ],
  ];
  for (const [definition, expected] of definitions) {
    it(definition, () => {
      expect(describeAnalysis(analyseFunction(definition))).to.equal(expected);
    });
  }

  const unreadable: readonly [string, string][] = [
    [`CREATE FUNCTION f() RETURNS int LANGUAGE c AS '$libdir/x', 'y'`, 'language'],
    [`CREATE FUNCTION f() RETURNS int LANGUAGE internal AS 'y'`, 'language'],
    [`CREATE FUNCTION f() RETURNS int LANGUAGE plpython3u AS 'return 1'`, 'language'],
    [`CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql`, 'language'],
    [`CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql BEGIN ATOMIC SELECT 1; END`, 'language'],
    [
      `CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql AS 'BEGIN undeclared := 1; END'`,
      'language',
    ],
    [`CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql AS 'BEGIN SELEC 1; END'`, 'language'],
    [`CREATE FUNCTION f() RETURNS int LANGUAGE sql AS 'SELEC 1'`, 'language'],
    [`CREATE FUNCTION f() RETURNS int LANGUAGE sql AS 'SELECT 1'; SELECT 1`, 'syntax'],
    ['SELECT 1', 'syntax'],
    ['', 'syntax'],
    ['CREATE', 'syntax'],
    [`CREATE FUNCTION f() RETURNS int LANGUAGE sql AS 'SELECT\u0000'`, 'nul-character'],
  ];
  for (const [definition, problem] of unreadable) {
    it(`${problem}: ${JSON.stringify(definition)}`, () => {
      expect(analyseFunction(definition)).to.include({
        kind: 'unknown',
        problem,
        readsUnknown: true,
        writesUnknown: true,
      });
    });
  }

  it('survives bodies nested too deep', async () => {
    for (const body of [
      `BEGIN ${'IF true THEN '.repeat(3000)}NULL;${' END IF;'.repeat(3000)} END`,
      `BEGIN RETURN ${'('.repeat(20_000)}; END`,
    ]) {
      expect(analyseFunctionBody('plpgsql', body).kind).to.equal('unknown');
      await loadParser();
    }
    expect(analyseFunctionBody('sql', 'SELECT * FROM a').reads).to.have.length(1);
  });

  it('takes a body alone, with its shape', () => {
    expect(describeAnalysis(analyseFunctionBody('sql', 'DELETE FROM a WHERE x = $1'))).to.equal(
      'write | write a:D',
    );
    const shape = { parameters: 'a int, OUT b int', returns: 'SETOF int' };
    expect(
      describeAnalysis(analyseFunctionBody('plpgsql', 'BEGIN b := a; RETURN NEXT; END', shape)),
    ).to.equal('read');
    expect(
      describeAnalysis(
        analyseFunctionBody('plpgsql', 'BEGIN PERFORM $body$x$body$; RETURN NEW; END'),
      ),
    ).to.equal('read');
    expect(analyseFunctionBody('own "language"', 'x').problem).to.equal('language');
  });
});
