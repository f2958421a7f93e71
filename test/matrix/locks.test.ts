import { expect } from 'chai';
import { QueryTypes, type Sequelize } from 'sequelize';
import { freshReads, type FreshReads } from '../../src';
import { createDatabase, type TestDatabase } from '../support/shared-cluster';
import { BUILT, RAW, callModels, fillModels, type Models } from './calls';

/** The server's own account of what a transaction touched so far. */
const LOCKS = `
  SELECT CASE n.nspname WHEN 'public' THEN c.relname ELSE n.nspname || '.' || c.relname END AS table,
    bool_or(l.mode NOT IN ('AccessShareLock', 'RowShareLock')) AS written, bool_or(l.mode = 'AccessShareLock') AS read
  FROM pg_locks l JOIN pg_class c ON c.oid = l.relation JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE l.pid = :pid AND c.relkind IN ('r', 'p', 'v', 'm') AND n.nspname !~ '^(pg_|information_schema)'
  GROUP BY 1`;

interface Lock {
  readonly table: string;
  readonly written: boolean;
  readonly read: boolean;
}
const isSystems = (table: string) => /^(pg_|information_schema)/.test(table);

describe('what a statement is said to touch, against the locks that the server takes', () => {
  let database: TestDatabase;
  let models: Models;
  let reads: FreshReads;
  let onlooker: Sequelize;
  let statements = 0;
  const overstated: string[] = [];

  before(async () => {
    database = await createDatabase('CREATE SCHEMA x1');
    const plain = callModels(database.connect());
    await plain.sequelize.sync();
    await fillModels(plain);
    onlooker = plain.sequelize;
    models = callModels(database.connect());
    reads = freshReads(models.sequelize, { freshness: { mode: 'fixed', windowMs: 60_000 } });
    await reads.ready();
  });

  after(() => database.close());

  async function compare(name: string, call: (typeof BUILT)[string]): Promise<void> {
    const missing: string[] = [];
    const touched: string[] = [];
    const claimed: string[] = [];
    const { sequelize } = models;
    // Statements of one transaction may be under way at once: each is paired with its own decision.
    const said = new WeakMap<object, readonly string[]>();
    const decided: (readonly string[])[] = [];
    const listener = reads.onDecision(({ tables }) => {
      decided.push(tables.filter((table) => !isSystems(table)));
    });
    sequelize.addHook('beforeQuery', 'locks', (...[, query]: unknown[]) => {
      const tables = decided.shift();
      if (tables) said.set(query as object, tables);
    });
    // After each statement, before its transaction goes on.
    sequelize.addHook('afterQuery', 'locks', async (...[, query]: unknown[]) => {
      const tables = said.get(query as object);
      if (!tables) return;
      const { processID: pid } = (query as { connection: { processID: number } }).connection;
      const rows = await onlooker.query<Lock>(LOCKS, {
        replacements: { pid },
        type: QueryTypes.SELECT,
        useMaster: true,
      });
      const written = reads.history().map(({ table }) => table);
      for (const lock of rows) {
        if (lock.written && !written.includes(lock.table)) missing.push(`written: ${lock.table}`);
        if (lock.written || lock.read) touched.push(lock.table);
      }
      claimed.push(...tables);
      statements++;
      const surplus = tables.filter((table) => rows.every((lock) => lock.table !== table));
      if (surplus.length > 0) overstated.push(`${name}: ${surplus.join(', ')}`);
    });
    try {
      await reads.runOperation({ name }, async () => {
        const transaction = await sequelize.transaction();
        try {
          await call(models, transaction);
        } finally {
          await transaction.rollback();
        }
      });
    } finally {
      listener.dispose();
      sequelize.removeHook('beforeQuery', 'locks');
      sequelize.removeHook('afterQuery', 'locks');
    }
    for (const table of new Set(touched)) {
      if (!claimed.includes(table)) missing.push(`touched: ${table}`);
    }
    expect(missing).to.deep.equal([]);
  }

  for (const [name, call] of Object.entries(BUILT)) {
    it(`names all that it touches: ${name}`, () => compare(name, call));
  }

  it('names little more, for statements of Sequelize itself', () => {
    const percent = (100 * overstated.length) / statements;
    console.log(
      `      ${statements} statements, ${overstated.length} overstated (${percent.toFixed(1)} %)`,
    );
    for (const line of overstated) console.log(`        ${line}`);
    expect(statements).to.be.above(100);
    expect(percent).to.be.below(5);
  });

  for (const [name, call] of Object.entries(RAW)) {
    it(`names all that raw SQL touches: ${name}`, () => compare(name, call));
  }
});
