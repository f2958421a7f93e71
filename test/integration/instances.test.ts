import { createNamespace } from 'cls-hooked';
import { expect } from 'chai';
import { DataTypes, QueryTypes, Sequelize } from 'sequelize';
import { freshReads, isOptionsError } from '../../src';
import { DecisionLog } from '../support/decisions';
import { createDatabase, type TestDatabase } from '../support/shared-cluster';

const LONG_WINDOW = { freshness: { mode: 'fixed', windowMs: 60_000 } } as const;

describe('freshReads on an instance', () => {
  let database: TestDatabase;

  before(async () => {
    database = await createDatabase('CREATE TABLE users (id serial PRIMARY KEY, name text)');
  });
  after(() => database.close());

  function defineUser(sequelize: Sequelize) {
    return sequelize.define('user', { name: DataTypes.TEXT }, { timestamps: false });
  }

  it('gives the same handle again, and refuses other options', async () => {
    const sequelize = database.connect();
    const reads = freshReads(sequelize, LONG_WINDOW);
    expect(freshReads(sequelize)).to.equal(reads);
    expect(freshReads(sequelize, { ...LONG_WINDOW, routing: 'enforce' })).to.equal(reads);
    expect(() => freshReads(sequelize, {}))
      .to.throw(
        'freshReads(sequelize, options): this instance already has a handle with other options: freshness differs. ' +
          'Call it once, or with the same options, or close() the first handle.',
      )
      .that.satisfies(isOptionsError);
    await reads.close();
    await reads.close();
    expect(freshReads(sequelize, {})).not.to.equal(reads);
  });

  it('refuses what it can not work with', () => {
    const refused: [() => unknown, string][] = [
      [
        () => freshReads({} as never),
        'freshReads(sequelize): the first argument must be a Sequelize 6 instance, got {}.',
      ],
      [
        () => freshReads(undefined as never),
        'freshReads(sequelize): the first argument must be a Sequelize 6 instance, got undefined.',
      ],
      [
        () => freshReads(Sequelize as never),
        'freshReads(sequelize): the first argument must be a Sequelize 6 instance, got class Sequelize.',
      ],
    ];
    for (const [call, message] of refused)
      expect(call).to.throw(message).that.satisfies(isOptionsError);
    const other = {
      query: () => 0,
      addHook: () => 0,
      connectionManager: {},
      dialect: { name: 'mysql' },
    };
    expect(() => freshReads(other as never)).to.throw(
      `freshReads(sequelize): the dialect "mysql" is not supported, only 'postgres' is.`,
    );
    const native = { ...other, dialect: { name: 'postgres' }, options: { native: true } };
    expect(() => freshReads(native as never)).to.throw('the option native: true is not supported');
  });

  it('takes replication without read, as Sequelize does', () => {
    const { write } = database.cluster.sequelizeOptions().replication;
    const sequelize = new Sequelize({
      dialect: 'postgres',
      ...write,
      replication: { write, read: undefined as never },
    });
    expect(
      freshReads(sequelize)
        .status()
        .nodes.map(({ name }) => name),
    ).to.deep.equal(['primary', 'replica1']);
  });

  it('says that there is no replica when replication.read is empty', async () => {
    const { write } = database.cluster.sequelizeOptions().replication;
    const sequelize = new Sequelize({
      dialect: 'postgres',
      ...write,
      replication: { write, read: [] },
    });
    const reads = freshReads(sequelize);
    expect(reads.status().warnings).to.deep.equal([
      '`replication.read` is empty: there is no replica to read from.',
    ]);
    await sequelize.close();
  });

  it('refuses a promise where work has to be begun by it', async () => {
    const sequelize = database.connect();
    const reads = freshReads(sequelize, LONG_WINDOW);
    for (const call of ['usePrimary', 'useReplica'] as const) {
      expect(() => reads[call](Promise.resolve() as never))
        .to.throw(
          `${call}(fn): fn must be a function, got an instance of Promise. ` +
            'What made the promise has begun before: wrap it, () => ...',
        )
        .that.satisfies(isOptionsError);
    }
    expect(() => reads.usePrimary(undefined as never)).to.throw(
      'usePrimary(fn): fn must be a function, got undefined.',
    );
    await sequelize.close();
  });

  it('without replication routes nothing, says so once, and still keeps the books', async () => {
    const warnings: string[] = [];
    const { write } = database.cluster.sequelizeOptions().replication;
    const sequelize = new Sequelize({
      dialect: 'postgres',
      logging: false,
      ...write,
      database: database.name,
    });
    const reads = freshReads(sequelize, {
      ...LONG_WINDOW,
      logger: { warn: (m) => warnings.push(m) },
    });
    await reads.ready();
    const log = new DecisionLog(reads);
    const User = defineUser(sequelize);
    await reads.runOperation({}, async () => {
      await User.findAll();
      await User.create({ name: 'x' });
      await User.findAll();
      expect(reads.history()).to.have.length(1);
    });
    expect(log.take()).to.deep.equal([
      'primary no-replica-fit users',
      'primary not-a-read users',
      'primary no-replica-fit users',
    ]);
    const sentence =
      'this Sequelize instance has no `replication` option: nothing is routed. ' +
      'Histories, loader clearing and decisions work all the same.';
    expect(reads.status().warnings).to.deep.equal([sentence]);
    expect(warnings).to.deep.equal([`sequelize-fresh-reads: ${sentence}`]);
    await sequelize.close();
    expect(reads.status().closed).to.equal(true);
  });

  it('keeps two instances in one operation apart', async () => {
    const [one, two] = [database.connect(), database.connect()];
    const [first, second] = [freshReads(one, LONG_WINDOW), freshReads(two, LONG_WINDOW)];
    await Promise.all([first.ready(), second.ready()]);
    await first.runOperation({}, async () => {
      await defineUser(one).create({ name: 'x' });
      expect(first.history()).to.have.length(1);
      expect(second.history()).to.have.length(0);
    });
  });

  it("hooks and logs of the application see the application's statements only", async () => {
    const seen: string[] = [];
    const sequelize = database.connect({ logging: (sql) => void seen.push(sql) });
    sequelize.addHook('beforeQuery', () => {
      seen.push('hook');
    });
    const reads = freshReads(sequelize, LONG_WINDOW);
    await reads.ready();
    expect(seen).to.deep.equal([]);
    await sequelize.query('SELECT 1');
    expect(seen).to.have.length(2);
  });

  it('works with models defined later, and with a query patched in later', async () => {
    const sequelize = database.connect();
    const reads = freshReads(sequelize, LONG_WINDOW);
    await reads.ready();
    const seen: string[] = [];
    const prototype = Sequelize.prototype as unknown as { query: (...args: unknown[]) => unknown };
    const stock = prototype.query;
    prototype.query = function (this: unknown, ...args: unknown[]) {
      seen.push('patched');
      return stock.apply(this, args);
    };
    try {
      const log = new DecisionLog(reads);
      await reads.runOperation({}, () => defineUser(sequelize).findAll());
      expect(log.take()).to.deep.equal(['replica no-live-writes users']);
      expect(seen).to.deep.equal(['patched']);
    } finally {
      prototype.query = stock;
    }
  });

  it('under useCLS: sees the commit of a transaction of another instance', async () => {
    const namespace = createNamespace('fresh-reads-test');
    Sequelize.useCLS(namespace);
    try {
      // One of them is not ours at all: only the connection itself can tell of the commit.
      const [outer, inner] = [database.connect(), database.connect()];
      const reads = freshReads(inner, LONG_WINDOW);
      await reads.ready();
      await reads.runOperation({}, async () => {
        await outer.transaction(async () => {
          await inner.query("INSERT INTO users (name) VALUES ('cls')");
          expect(reads.history().map(({ state }) => state)).to.deep.equal(['uncommitted']);
        });
        expect(reads.history().map(({ state }) => state)).to.deep.equal(['committed']);
        await outer
          .transaction(async () => {
            await inner.query("INSERT INTO users (name) VALUES ('rolled back')");
            throw new Error('no');
          })
          .catch(() => undefined);
      });
      const rows = await inner.query<{ name: string }>(
        "SELECT name FROM users WHERE name = 'cls'",
        {
          type: QueryTypes.SELECT,
          useMaster: true,
        },
      );
      expect(rows).to.have.length(1);
    } finally {
      Reflect.deleteProperty(Sequelize, '_cls');
    }
  });

  it('a listener that throws is reported once and breaks nothing', async () => {
    const sequelize = database.connect();
    const reads = freshReads(sequelize, LONG_WINDOW);
    await reads.ready();
    const first = reads.onDecision(() => {
      throw new Error('listener');
    });
    const log = new DecisionLog(reads);
    await reads.runOperation({}, () => defineUser(sequelize).findAll());
    await reads.runOperation({}, () => defineUser(sequelize).findAll());
    expect(log.take()).to.have.length(2);
    expect(reads.status().warnings).to.deep.equal([
      'an onDecision listener threw: Error: listener. Later errors are not reported.',
    ]);
    first.dispose();
    first.dispose();
  });
});
