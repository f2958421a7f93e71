import type { Sequelize } from 'sequelize';
import { freshReads, type FreshReads } from '../../src';
import { DecisionLog } from '../support/decisions';
import { createDatabase, type TestDatabase } from '../support/shared-cluster';
import { TABLES, town } from './town';

/** A new instance for each test, on a database for all of them. */
export interface TownTest {
  readonly database: TestDatabase;
  readonly sequelize: Sequelize;
  readonly reads: FreshReads;
  readonly log: DecisionLog;
}

/** Registers the hooks; what it gives is filled in before each test. */
export function useTown(): TownTest {
  const here = {} as { -readonly [Name in keyof TownTest]: TownTest[Name] };

  before(async () => {
    here.database = await createDatabase(
      ...TABLES,
      'CREATE VIEW open_posts AS SELECT * FROM posts WHERE status = $$open$$',
    );
  });

  beforeEach(async () => {
    here.sequelize = here.database.connect();
    town(here.sequelize);
    here.reads = freshReads(here.sequelize, { freshness: { mode: 'fixed', windowMs: 60_000 } });
    await here.reads.ready();
    here.log = new DecisionLog(here.reads);
  });

  afterEach(() => here.sequelize.close());

  after(() => here.database.close());

  return here;
}
