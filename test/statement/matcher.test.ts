import { expect } from 'chai';
import fc from 'fast-check';
import type { Analyser } from '../../src/statement';
import { createAnalyser, createMatcher, loadParser } from '../../src/statement';

describe('statement: matcher', () => {
  const matches = (name: string, sql: string): boolean => createMatcher([name])(sql);

  it('finds a name as a whole word in any case and any quotes', () => {
    for (const sql of [
      'SELECT * FROM users',
      'SELECT * FROM USERS u',
      'SELECT * FROM "users"',
      'SELECT * FROM "Users"',
      'select*from public.users',
      'SELECT users.id',
      "SELECT crosstab('select * from users')",
      'SELECT $$users$$',
      '/* users */ SELECT 1',
      'users',
    ]) {
      expect(matches('users', sql), sql).to.equal(true);
      expect(matches('Users', sql), sql).to.equal(true);
    }
  });

  it('is not misled by longer words', () => {
    for (const sql of [
      'SELECT * FROM users_old',
      'SELECT * FROM old_users',
      'SELECT usersx FROM xusers',
      'SELECT users1 FROM t',
      'SELECT * FROM "user s"',
      '',
    ]) {
      expect(matches('users', sql), sql).to.equal(false);
    }
  });

  it('never passes a Unicode-escaped identifier or string', () => {
    expect(matches('users', 'SELECT * FROM U&"\\0075sers"')).to.equal(true);
    expect(matches('users', `SELECT u&'x'`)).to.equal(true);
    expect(matches('users', 'SELECT u & 1 FROM mu&"x"')).to.equal(false);
  });

  it('looks for a part of names that are no plain words', () => {
    expect(matches('my table', 'SELECT * FROM "my table"')).to.equal(true);
    expect(matches('we"ird', 'SELECT * FROM "we""ird"')).to.equal(true);
    expect(matches('a.b', 'SELECT * FROM "a.b"')).to.equal(true);
    expect(matches('x$y', 'SELECT * FROM x$y')).to.equal(true);
    expect(matches('--', 'SELECT 1')).to.equal(true);
    expect(matches('my table', 'SELECT * FROM "my chair"')).to.equal(false);
  });

  it('finds names that share a part with many others, and only those themselves', () => {
    for (const name of ['pg_locks', 'users_id_seq', 'seq_seq_1', 'binary_upgrade_x', 'my_pg_t']) {
      const others = ['pg_stat', 'a_seq', 'binary_upgrade_y'];
      const test = createMatcher([...others, name]);
      expect(test(`SELECT * FROM "${name.toUpperCase()}"`), name).to.equal(true);
      expect(test(`SELECT * FROM ${name}2, x_${name}`), name).to.equal(false);
    }
  });

  it('folds letters beyond ASCII', () => {
    expect(matches('Élan', 'SELECT * FROM "élan"')).to.equal(true);
    expect(matches('straße', 'SELECT * FROM straße')).to.equal(true);
    expect(matches('élan', 'SELECT * FROM elan')).to.equal(false);
  });

  it('finds a name that the server cuts at 63 bytes by its longer spelling', () => {
    const long = 'a'.repeat(63);
    expect(matches(long, `SELECT * FROM ${long}bcd`)).to.equal(true);
    expect(matches(`x$${'b'.repeat(61)}`, `SELECT * FROM x$${'b'.repeat(70)}`)).to.equal(true);
    expect(matches('é'.repeat(31), `SELECT * FROM "${'é'.repeat(40)}"`)).to.equal(true);
    expect(matches(long, 'SELECT * FROM abc')).to.equal(false);
  });

  it('matches nothing for no names, and one of many', () => {
    expect(createMatcher([])('SELECT * FROM users')).to.equal(false);
    const many = createMatcher(Array.from({ length: 500 }, (_, index) => `table_${index}`));
    expect(many('SELECT * FROM table_499')).to.equal(true);
    expect(many('SELECT * FROM table_500')).to.equal(false);
  });

  describe('beside the parser', () => {
    let analyser: Analyser;

    before(async () => {
      await loadParser();
      analyser = createAnalyser();
    });

    const name = fc
      .string({ unit: 'binary', minLength: 1, maxLength: 80 })
      .filter((text) => !text.includes('\0') && Buffer.from(text).toString() === text);
    const word = fc.stringMatching(/^[a-zA-Z_é][a-zA-Z0-9_$é]{0,70}$/).map((text) => `tbl_${text}`);
    const spelled = fc.oneof(
      name.map((text) => `"${text.replaceAll('"', '""')}"`),
      word,
      word.map((text) => text.toUpperCase()),
      word.map((text) => `"${text}"`),
      word.map(
        (text) =>
          `U&"${Array.from(text)
            .map((c) => `\\+${c.codePointAt(0)!.toString(16).padStart(6, '0')}`)
            .join('')}"`,
      ),
    );

    it('finds whatever relation the parser finds', () => {
      fc.assert(
        fc.property(spelled, (spelling) => {
          const sql = `SELECT 1 FROM ${spelling} AS x`;
          const { reads, problem } = analyser.analyse(sql);
          if (problem !== undefined) return;
          expect(reads).to.have.length(1);
          expect(createMatcher([reads[0]!.name])(sql)).to.equal(true);
          expect(createMatcher([reads[0]!.name.toLowerCase()])(sql)).to.equal(true);
        }),
        { numRuns: 400 },
      );
    });

    it('gets quoted names back as they were written', () => {
      fc.assert(
        fc.property(name, (text) => {
          fc.pre(Buffer.byteLength(text) < 64);
          const { reads } = analyser.analyse(`SELECT 1 FROM "${text.replaceAll('"', '""')}"`);
          expect(reads).to.deep.equal([{ schema: undefined, name: text }]);
        }),
        { numRuns: 300 },
      );
    });
  });
});
