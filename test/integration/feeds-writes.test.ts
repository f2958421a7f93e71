import { expect } from 'chai';
import { DataTypes, type Model, type ModelStatic, type Sequelize } from 'sequelize';
import { freshReads, type FreshReads } from '../../src';
import { DecisionLog } from '../support/decisions';
import { createDatabase, type TestDatabase } from '../support/shared-cluster';

type Accessor = 'addProject' | 'setProjects' | 'createProject' | 'setTasks' | 'setProfile';
type Row = Model & Record<Accessor, (...args: unknown[]) => Promise<unknown>>;

/** Every helper runs in a new operation: nothing but its own nature sends its reads to the primary. */
describe('reads that feed a write', () => {
  let database: TestDatabase;
  let sequelize: Sequelize;
  let reads: FreshReads;
  let log: DecisionLog;
  let User: ModelStatic<Row>;
  let Task: ModelStatic<Row>;
  let Profile: ModelStatic<Row>;
  let Project: ModelStatic<Row>;

  function define(on: Sequelize): void {
    const options = { timestamps: false };
    User = on.define('user', { name: { type: DataTypes.TEXT, unique: true } }, options);
    Task = on.define(
      'task',
      { title: DataTypes.TEXT },
      { timestamps: true, paranoid: true, createdAt: false, updatedAt: false },
    );
    Profile = on.define('profile', { bio: DataTypes.TEXT }, options);
    Project = on.define('project', { title: DataTypes.TEXT }, options);
    User.hasMany(Task, { onDelete: 'CASCADE', hooks: true });
    User.hasOne(Profile);
    User.belongsToMany(Project, { through: 'user_projects', timestamps: false });
  }

  before(async () => {
    database = await createDatabase();
    const plain = database.connect();
    define(plain);
    await plain.sync();
    await User.create({ name: 'ann' });
    await Task.create({ title: 't', userId: 1 });
    await Profile.create({ bio: 'b', userId: 1 });
    await Project.create({ title: 'p' });
    sequelize = database.connect();
    define(sequelize);
    reads = freshReads(sequelize, { freshness: { mode: 'fixed', windowMs: 60_000 } });
    await reads.ready();
    await database.pauseReplicas();
    log = new DecisionLog(reads);
  });

  after(() => database.close());

  /** The reasons of the reads of `helper`, run on rows found before it. */
  async function reasonsOf(helper: (user: Row) => Promise<unknown>): Promise<string[]> {
    const user = await User.findOne({ rejectOnEmpty: true, freshness: 'primary' });
    log.take();
    await reads.runOperation({}, () => helper(user));
    return log.all.splice(0).flatMap(({ reason }) => (reason === 'not-a-read' ? [] : [reason]));
  }

  const helpers: [string, (user: Row) => Promise<unknown>, string[]][] = [
    ['belongsToMany add', (user) => user.addProject(1), ['feeds-a-write']],
    ['belongsToMany set', (user) => user.setProjects([1]), ['feeds-a-write']],
    ['belongsToMany create', (user) => user.createProject({ title: 'n' }), ['feeds-a-write']],
    ['hasMany set', (user) => user.setTasks([]), ['feeds-a-write']],
    ['hasOne set', (user) => user.setProfile(null), ['feeds-a-write']],
    [
      'update with individualHooks',
      () => Task.update({ title: 'x' }, { where: {}, individualHooks: true }),
      ['feeds-a-write'],
    ],
    [
      'update, with individualHooks switched on by a hook',
      async () => {
        Task.addHook('beforeBulkUpdate', 'on', (options: { individualHooks?: boolean }) => {
          options.individualHooks = true;
        });
        try {
          await Task.update({ title: 'x' }, { where: {} });
        } finally {
          Task.removeHook('beforeBulkUpdate', 'on');
        }
      },
      ['feeds-a-write'],
    ],
    [
      'destroy with individualHooks',
      () => Task.destroy({ where: { id: -1 }, individualHooks: true }),
      ['feeds-a-write'],
    ],
    [
      'restore with individualHooks',
      () => Task.restore({ where: { id: -1 }, individualHooks: true }),
      ['feeds-a-write'],
    ],
    ['findOrBuild', () => User.findOrBuild({ where: { name: 'nobody' } }), ['feeds-a-write']],
    [
      'findCreateFind, and its second look after a unique violation',
      () => User.findCreateFind({ where: { id: -1 }, defaults: { name: 'ann' } }),
      ['feeds-a-write', 'feeds-a-write'],
    ],
    [
      'findOrCreate, in its own transaction',
      () => User.findOrCreate({ where: { name: 'bob' } }),
      ['in-transaction', 'in-transaction'],
    ],
    [
      'findOrCreate, and its look outside the transaction after a unique violation',
      () => User.findOrCreate({ where: { id: -1, name: 'ann' } }).catch(() => undefined),
      ['in-transaction', 'in-transaction', 'feeds-a-write'],
    ],
    ['a lock outside a transaction', () => User.findOne({ lock: true }), ['locking-read']],
    ['destroy of an instance with cascade hooks', (user) => user.destroy(), ['feeds-a-write']],
  ];
  for (const [name, helper, expected] of helpers) {
    it(`${name} on the primary`, async () => {
      expect(await reasonsOf(helper)).to.deep.equal(expected);
    });
  }

  it('update without individualHooks reads nothing, and plain reads still use a replica', async () => {
    expect(await reasonsOf(() => Task.update({ title: 'y' }, { where: {} }))).to.deep.equal([]);
    expect(await reasonsOf(() => Project.findAll())).to.deep.equal(['no-live-writes']);
  });

  it("Sequelize's own looks at the schema stay on the primary", async () => {
    const query = sequelize.getQueryInterface();
    expect(await reasonsOf(() => query.tableExists('users'))).to.deep.equal(['asked-primary']);
    expect(await reasonsOf(() => query.showIndex('users'))).to.deep.equal(['asked-primary']);
  });

  it('what a helper left running is no part of it', async () => {
    let later: Promise<unknown> = Promise.resolve();
    let go: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (go = resolve));
    Task.addHook('beforeBulkUpdate', 'start', () => {
      later = gate.then(() => Project.count());
    });
    await reads.runOperation({}, async () => {
      await Task.update({ title: 'x' }, { where: { id: -1 } });
      Task.removeHook('beforeBulkUpdate', 'start');
      log.take();
      go();
      await later;
    });
    expect(log.all.splice(0).map(({ reason }) => reason)).to.not.include('feeds-a-write');
  });

  it('reload follows the history', async () => {
    const project = await Project.findOne({ rejectOnEmpty: true });
    expect(await reasonsOf(() => project.reload())).to.deep.equal(['no-live-writes']);
    expect(
      await reasonsOf(async () => {
        await project.update({ title: 'new' });
        await project.reload();
      }),
    ).to.deep.equal(['table-written']);
    expect(project.get('title')).to.equal('new');
  });
});
