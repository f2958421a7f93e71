import { EventEmitter, once } from 'node:events';
import { createNamespace } from 'cls-hooked';
import { expect } from 'chai';
import { DataTypes, QueryTypes, Sequelize, type Model, type ModelStatic } from 'sequelize';
import { ask, connect, prepare, type Setting } from './support';

type Row = Model &
  Record<'addTag' | 'getTags' | 'setTags', (...args: unknown[]) => Promise<unknown>>;

/** What people report of routers, on replicas that show none of it by luck. */
describe('shapes that people report', () => {
  let setting: Setting;
  let User: ModelStatic<Row>;
  let number = 0;

  function models(on: Setting): ModelStatic<Row> {
    const options = { timestamps: false };
    const columns = { name: { type: DataTypes.TEXT, unique: true }, seen: DataTypes.INTEGER };
    const model = on.sequelize.define<Row>('user', columns, options);
    const Tag = on.sequelize.define('tag', { label: DataTypes.TEXT }, options);
    model.belongsToMany(Tag, { through: 'user_tags', timestamps: false });
    return model;
  }

  before(async () => {
    setting = await prepare([
      'CREATE TABLE users (id serial PRIMARY KEY, name text UNIQUE, seen int)',
      'CREATE TABLE tags (id serial PRIMARY KEY, label text)',
      'CREATE TABLE user_tags ("userId" int, "tagId" int, PRIMARY KEY ("userId", "tagId"))',
      'CREATE TABLE posts (id serial PRIMARY KEY)',
      "INSERT INTO users (name, seen) VALUES ('first', 0)",
      "INSERT INTO tags (label) VALUES ('red'), ('blue')",
    ]);
    User = models(setting);
    await setting.database.pauseReplicas();
  });
  after(() => setting.database.close());

  const newName = () => `user ${++number}`;
  const find = (name: string) => User.findOne({ where: { name } });
  const inOperation = <T>(fn: () => T) => setting.reads.runOperation({}, fn);

  it('the writes of one job are no burden to the next', async () => {
    for (let job = 0; job < 3; job++) {
      await inOperation(async () => {
        expect(await ask(setting, 'SELECT * FROM users')).to.equal('replica no-live-writes');
        await User.create({ name: newName() });
        expect(await ask(setting, 'SELECT * FROM users')).to.equal('primary table-written');
      });
    }
  });

  it('a listener called within the operation finds the row that its event tells of', async () => {
    const events = new EventEmitter();
    events.on('created', (name: string) => {
      void find(name).then((row) => events.emit('found', row));
    });
    await inOperation(async () => {
      const name = newName();
      await User.create({ name });
      const found = once(events, 'found');
      setImmediate(() => events.emit('created', name));
      expect((await found)[0]).not.to.equal(null);
    });
  });

  it('a queue that runs outside every operation writes for the one that waits for it', async () => {
    const jobs = new EventEmitter();
    const worker = (async () => {
      const [name] = (await once(jobs, 'job')) as [string];
      await User.create({ name });
      jobs.emit('done');
    })();
    await inOperation(async () => {
      const name = newName();
      const done = once(jobs, 'done');
      jobs.emit('job', name);
      await done;
      expect(await find(name)).not.to.equal(null);
    });
    await worker;
  });

  it('hooks of models, of the instance and of the commit find what was just written', async () => {
    const hooked = await connect(setting.database);
    const model = models(hooked);
    const seen: string[] = [];
    const look = (hook: string) => async (row: Model) => {
      const again = await model.findOne({ where: { name: row.get('name') as string } });
      seen.push(`${hook} ${String(again !== null)}`);
    };
    model.addHook('afterCreate', look('afterCreate'));
    hooked.sequelize.addHook('afterCreate', look('afterCreate of all'));
    model.addHook('afterSave', look('afterSave'));
    await hooked.reads.runOperation({}, async () => {
      await model.create({ name: newName() });
      await hooked.sequelize.transaction(async (transaction) => {
        const row = await model.create({ name: newName() }, { transaction, hooks: false });
        transaction.afterCommit(() => look('afterCommit')(row));
      });
    });
    expect(seen.sort()).to.deep.equal([
      'afterCommit true',
      'afterCreate of all true',
      'afterCreate true',
      'afterSave true',
    ]);
  });

  it('individualHooks run on rows as they are, not as they were', () =>
    inOperation(async () => {
      const name = newName();
      await User.create({ name, seen: 1 });
      const previous: unknown[] = [];
      User.addHook(
        'beforeUpdate',
        'look',
        (row: Model) => void previous.push(row.previous('seen')),
      );
      await User.update({ seen: 2 }, { where: { name }, individualHooks: true });
      await User.update({ seen: 3 }, { where: { name }, individualHooks: true });
      User.removeHook('beforeUpdate', 'look');
      expect(previous).to.deep.equal([1, 2]);
    }));

  it('two that find or create the same row at once both get it', async () => {
    const name = newName();
    const rows = await Promise.all(
      Array.from({ length: 5 }, () =>
        inOperation(async () => (await User.findCreateFind({ where: { name } }))[0]),
      ),
    );
    expect(new Set(rows.map((row) => row.get('id'))).size).to.equal(1);
  });

  it('upsert with returning gives the row', () =>
    inOperation(async () => {
      const name = newName();
      const [row] = await User.upsert({ name, seen: 7 }, { returning: true });
      expect(row.get('seen')).to.equal(7);
      const [again] = await User.upsert({ name, seen: 8 }, { returning: true });
      expect(again.get('id')).to.equal(row.get('id'));
    }));

  it('INSERT ... RETURNING with plain: true is a write', () =>
    inOperation(async () => {
      const name = newName();
      const row = await setting.sequelize.query(
        'INSERT INTO users (name) VALUES (:name) RETURNING id',
        {
          replacements: { name },
          plain: true,
        },
      );
      expect(await find(name)).to.have.property('id', row?.['id']);
    }));

  it('the same association twice is one row', async () => {
    const user = await inOperation(() => User.create({ name: newName() }));
    await inOperation(() => user.addTag(1));
    await inOperation(() => user.addTag(1));
    await inOperation(async () => {
      await user.setTags([1, 2]);
      expect(await user.getTags()).to.have.length(2);
    });
  });

  it('a row written in one operation is found by code outside any', async () => {
    const name = newName();
    await inOperation(() => User.create({ name }));
    expect(await find(name)).not.to.equal(null);
  });

  it('a query without transaction inside a CLS transaction runs in it, on its connection', async () => {
    Sequelize.useCLS(createNamespace('fresh-reads-traps'));
    try {
      const cls = await connect(setting.database);
      const model = models(cls);
      await cls.reads.runOperation({}, () =>
        cls.sequelize.transaction(async () => {
          const name = newName();
          await model.create({ name });
          expect(await model.findOne({ where: { name } })).not.to.equal(null);
          const [row] = await cls.sequelize.query('SELECT id FROM users WHERE name = :name', {
            replacements: { name },
            type: QueryTypes.SELECT,
          });
          expect(row).not.to.equal(undefined);
          expect(cls.log.all.every(({ reason }) => reason === 'in-transaction')).to.equal(true);
        }),
      );
    } finally {
      Reflect.deleteProperty(Sequelize, '_cls');
    }
  });
});
