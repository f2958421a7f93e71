import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { SequelizeInstrumentation } from '@opentelemetry/instrumentation-sequelize';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { expect } from 'chai';
import * as sequelizePackage from 'sequelize';
import { QueryTypes, type Sequelize } from 'sequelize';
import { freshReads } from '../../src';
import { DecisionLog } from '../support/decisions';
import { createDatabase, type TestDatabase } from '../support/shared-cluster';

/** What the instrumentation does to the package when it sees it being loaded, and takes back. */
interface Patching {
  patch(moduleExports: unknown): unknown;
  unpatch(moduleExports: unknown): unknown;
}

describe("OpenTelemetry's instrumentation of Sequelize", () => {
  let database: TestDatabase;
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  const instrumentation = new SequelizeInstrumentation();
  instrumentation.setTracerProvider(provider);

  const patching = (instrumentation as unknown as { init(): Patching }).init();

  before(async () => {
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    database = await createDatabase('CREATE TABLE users (id serial PRIMARY KEY, name text)');
  });
  after(async () => {
    await database.close();
    instrumentation.disable();
    context.disable();
  });

  async function check(
    sequelize: Sequelize,
    log: DecisionLog,
    run: (fn: () => unknown) => unknown,
  ) {
    await database.pauseReplicas();
    exporter.reset();
    log.take();
    const counts: unknown[] = [];
    const count = async () => {
      const [row] = await sequelize.query<{ standby: boolean }>(
        'SELECT pg_is_in_recovery() AS standby, count(*) FROM users',
        { type: QueryTypes.SELECT },
      );
      counts.push(row?.standby);
    };
    await run(async () => {
      await count();
      await sequelize.query("INSERT INTO users (name) VALUES ('x')");
      await count();
    });
    expect(counts).to.deep.equal([true, false]);
    expect(log.take()).to.deep.equal([
      'replica no-live-writes users',
      'primary not-a-read users',
      'primary table-written users',
    ]);
    expect(exporter.getFinishedSpans().map(({ name }) => name)).to.deep.equal([
      'Sequelize SELECT',
      'Sequelize INSERT',
      'Sequelize SELECT',
    ]);
    await database.resumeReplicas();
  }

  for (const order of ['before', 'after'] as const) {
    it(`makes its spans, and reads are routed, when it patches ${order} freshReads()`, async () => {
      if (order === 'before') patching.patch(sequelizePackage);
      const sequelize = database.connect();
      const reads = freshReads(sequelize);
      await reads.ready();
      if (order === 'after') patching.patch(sequelizePackage);
      try {
        await check(sequelize, new DecisionLog(reads), (fn) => reads.runOperation({}, fn));
      } finally {
        patching.unpatch(sequelizePackage);
      }
    });
  }
});
