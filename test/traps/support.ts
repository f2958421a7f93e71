import { QueryTypes, type Options, type Sequelize } from 'sequelize';
import { freshReads, type FreshReads, type FreshReadsOptions } from '../../src';
import { DecisionLog } from '../support/decisions';
import { createDatabase, type TestDatabase } from '../support/shared-cluster';

export interface Setting {
  readonly database: TestDatabase;
  readonly sequelize: Sequelize;
  readonly reads: FreshReads;
  readonly log: DecisionLog;
}

const LONG_WINDOW = { mode: 'fixed', windowMs: 600_000 } as const;

/** A database of its own on the shared cluster, with a handle that never expires a write by itself. */
export async function prepare(setup: string[], parts: Parts = {}): Promise<Setting> {
  return connect(await createDatabase(...setup), parts);
}

interface Parts {
  readonly options?: FreshReadsOptions;
  readonly sequelize?: Options;
}

/** Another instance with a handle on the same database. */
export async function connect(database: TestDatabase, parts: Parts = {}): Promise<Setting> {
  const sequelize = database.connect(parts.sequelize);
  const reads = freshReads(sequelize, { freshness: LONG_WINDOW, ...parts.options });
  await reads.ready();
  return { database, sequelize, reads, log: new DecisionLog(reads) };
}

/** Runs `sql` as a typed SELECT, and gives `replica no-live-writes`: where it was answered and why. */
export async function ask({ sequelize, log }: Setting, sql: string): Promise<string> {
  log.all.length = 0;
  await sequelize.query(sql, { type: QueryTypes.SELECT });
  const { target, reason } = log.all.at(-1) ?? {};
  return `${String(target)} ${String(reason)}`;
}

/** Where a typed SELECT is answered in an operation that ran `write` before. */
export function askAfter(setting: Setting, write: string, sql: string): Promise<string> {
  return setting.reads.runOperation({}, async () => {
    await setting.sequelize.query(write);
    return ask(setting, sql);
  });
}

/** Resolves once `holds` does: for what happens by itself, some time after its cause. */
export async function eventually(holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 20_000;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error('it did not happen within 20 seconds');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
