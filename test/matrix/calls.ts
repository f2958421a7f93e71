import {
  DataTypes,
  Op,
  QueryTypes,
  literal,
  type Model,
  type Sequelize,
  type Transaction,
} from 'sequelize';

type Accessor =
  | `${'add' | 'set' | 'get' | 'count' | 'has' | 'remove' | 'create'}${'Task' | 'Tasks' | 'Project' | 'Projects'}`
  | `${'set' | 'get' | 'create'}${'Profile' | 'User'}`;
export type Row = Model & Record<Accessor, (...args: unknown[]) => Promise<unknown>>;

/** The tables of the calls below, as Sequelize makes them itself. */
export function callModels(sequelize: Sequelize) {
  const plain = { timestamps: false };
  const text = DataTypes.TEXT;
  const define = (name: string, columns: object, options: object) =>
    sequelize.define<Row>(name, columns as never, options);
  const User = define(
    'User',
    {
      name: text,
      n: { type: DataTypes.INTEGER, defaultValue: 0 },
      email: { type: text, unique: true },
    },
    { ...plain, tableName: 'users', scopes: { positive: { where: { n: { [Op.gte]: 0 } } } } },
  );
  const Task = define(
    'Task',
    { title: text, pos: DataTypes.INTEGER },
    { paranoid: true, tableName: 'tasks' },
  );
  const Comment = define('Comment', { body: text }, { ...plain, tableName: 'comments' });
  const Project = define('Project', { name: text }, { ...plain, tableName: 'projects' });
  const Profile = define('Profile', { bio: text }, { ...plain, tableName: 'profiles' });
  const UserProject = define(
    'UserProject',
    { role: text },
    { ...plain, tableName: 'user_projects' },
  );
  const Thing = define('Thing', { a: text }, { ...plain, tableName: 'things', schema: 'x1' });
  User.hasMany(Task, { onDelete: 'CASCADE', hooks: true });
  Task.belongsTo(User);
  Task.hasMany(Comment, { onDelete: 'CASCADE' });
  Comment.belongsTo(Task);
  User.hasOne(Profile);
  Profile.belongsTo(User);
  User.belongsToMany(Project, { through: UserProject });
  Project.belongsToMany(User, { through: UserProject });
  return { sequelize, User, Task, Comment, Project, Profile, UserProject, Thing };
}

export type Models = ReturnType<typeof callModels>;
type Call = (models: Models, transaction: Transaction) => Promise<unknown>;

/** Row 1 of every table has children in the next, row 2 has none. */
export async function fillModels({ User, Task, Comment, Project, Profile, Thing }: Models) {
  await User.bulkCreate([
    { name: 'a', email: 'a@x' },
    { name: 'b', email: 'b@x' },
    { name: 'c', email: 'c@x' },
  ]);
  await Task.bulkCreate([1, 1, 3].map((UserId) => ({ title: 't', pos: 1, UserId })));
  await Comment.bulkCreate([
    { body: 'c', TaskId: 1 },
    { body: 'c', TaskId: 3 },
  ]);
  await Project.bulkCreate([{ name: 'p' }, { name: 'q' }, { name: 'r' }]);
  await Profile.bulkCreate([{ bio: 'b', UserId: 1 }, { bio: 'c' }]);
  const user = await User.findByPk(1, { rejectOnEmpty: true });
  await user.setProjects([1, 2]);
  await Thing.create({ a: 'x' });
}

const user = ({ User }: Models, id = 1) => User.build({ id, n: 0 }, { isNewRecord: false });
const task = ({ Task }: Models, id = 1) => Task.build({ id, UserId: 1 }, { isNewRecord: false });

/** Every call of Sequelize that sends a statement of its own making, in a transaction. */
export const BUILT: Record<string, Call> = {
  create: ({ User }, transaction) => User.create({ name: 'x' }, { transaction }),
  'create, returning: false': ({ User }, transaction) =>
    User.create({ name: 'x' }, { transaction, returning: false }),
  'create with hasMany and hasOne': ({ User, Task, Profile }, transaction) =>
    User.create(
      { name: 'x', Tasks: [{ title: 'a' }, { title: 'b' }], Profile: { bio: 'b' } },
      { include: [Task, Profile], transaction },
    ),
  'create with belongsToMany': ({ User, Project }, transaction) =>
    User.create({ name: 'x', Projects: [{ name: 'p' }] }, { include: [Project], transaction }),
  bulkCreate: ({ User }, transaction) =>
    User.bulkCreate([{ name: 'x' }, { name: 'y' }], { transaction }),
  'bulkCreate updateOnDuplicate': ({ User }, transaction) =>
    User.bulkCreate([{ name: 'x', email: 'a@x' }], { updateOnDuplicate: ['name'], transaction }),
  'bulkCreate ignoreDuplicates': ({ User }, transaction) =>
    User.bulkCreate([{ name: 'x', email: 'a@x' }], { ignoreDuplicates: true, transaction }),
  'bulkCreate with include': ({ User, Task, Project }, transaction) =>
    User.bulkCreate([{ name: 'x', Tasks: [{ title: 'a' }], Projects: [{ name: 'p' }] }], {
      include: [Task, Project],
      transaction,
    }),
  'bulkCreate individualHooks': ({ User }, transaction) =>
    User.bulkCreate([{ name: 'x' }], { individualHooks: true, transaction }),
  findAll: ({ User }, transaction) => User.findAll({ transaction }),
  findOne: ({ User }, transaction) => User.findOne({ transaction }),
  findByPk: ({ User }, transaction) => User.findByPk(1, { transaction }),
  'findAll raw': ({ User }, transaction) => User.findAll({ raw: true, transaction }),
  scope: ({ User }, transaction) => User.scope('positive').findAll({ transaction }),
  'include hasMany': ({ User, Task }, transaction) =>
    User.findAll({ include: [Task], transaction }),
  'include nested': ({ User, Task, Comment }, transaction) =>
    User.findAll({ include: [{ model: Task, include: [Comment] }], transaction }),
  'include belongsToMany': ({ User, Project }, transaction) =>
    User.findAll({ include: [Project], transaction }),
  'include with limit': ({ User, Task }, transaction) =>
    User.findAll({ include: [Task], limit: 2, transaction }),
  'literal subquery': ({ User }, transaction) =>
    User.findAll({
      where: { id: { [Op.in]: literal('(SELECT "UserId" FROM tasks)') } },
      transaction,
    }),
  'include separate': ({ User, Task }, transaction) =>
    User.findAll({ include: [{ model: Task, separate: true }], transaction }),
  'include separate with limit': ({ User, Task }, transaction) =>
    User.findAll({ include: [{ model: Task, separate: true, limit: 1 }], transaction }),
  'include separate, nested': ({ User, Task, Comment }, transaction) =>
    User.findAll({
      include: [{ model: Task, separate: true, include: [{ model: Comment, separate: true }] }],
      transaction,
    }),
  'include join and separate': ({ User, Task, Comment }, transaction) =>
    User.findAll({
      include: [{ model: Task, include: [{ model: Comment, separate: true }] }],
      transaction,
    }),
  findAndCountAll: ({ User, Task }, transaction) =>
    User.findAndCountAll({ include: [Task], limit: 2, transaction }),
  count: ({ User }, transaction) => User.count({ transaction }),
  'count with include': ({ User, Task }, transaction) =>
    User.count({ include: [Task], transaction }),
  'count with group': ({ User }, transaction) => User.count({ group: ['name'], transaction }),
  sum: ({ User }, transaction) => User.sum('n', { transaction }),
  max: ({ User }, transaction) => User.max('n', { transaction }),
  aggregate: ({ User }, transaction) =>
    User.aggregate('n', 'sum', {
      group: ['name'],
      plain: false,
      attributes: ['name'],
      transaction,
    } as never),
  reload: (models, transaction) => user(models).reload({ transaction }),
  'reload with include': (models, transaction) =>
    user(models).reload({ include: [models.Task], transaction }),
  findOrBuild: ({ User }, transaction) => User.findOrBuild({ where: { email: 'zz' }, transaction }),
  save: (models, transaction) => user(models).set('name', 'z').save({ transaction }),
  'update of an instance': (models, transaction) =>
    user(models).update({ name: 'z' }, { transaction }),
  update: ({ User }, transaction) => User.update({ n: 1 }, { where: { id: 1 }, transaction }),
  'update returning': ({ User }, transaction) =>
    User.update({ n: 1 }, { where: { id: 1 }, returning: true, transaction }),
  'update individualHooks': ({ User }, transaction) =>
    User.update({ n: literal('n + 1') }, { where: { id: 1 }, individualHooks: true, transaction }),
  'update of a key': ({ User }, transaction) =>
    User.update({ id: 900 }, { where: { id: 1 }, transaction }),
  increment: (models, transaction) => user(models).increment('n', { transaction }),
  decrement: (models, transaction) => user(models).decrement('n', { by: 2, transaction }),
  'static increment': ({ User }, transaction) =>
    User.increment('n', { where: { id: 1 }, transaction }),
  'static decrement': ({ User }, transaction) =>
    User.decrement('n', { where: { id: 1 }, transaction }),
  upsert: ({ User }, transaction) => User.upsert({ id: 1, name: 'z' }, { transaction }),
  'upsert, returning: false': ({ User }, transaction) =>
    User.upsert({ id: 1, name: 'z' }, { returning: false, transaction }),
  'findOrCreate of an old row': ({ User }, transaction) =>
    User.findOrCreate({ where: { email: 'a@x' }, transaction }),
  'findOrCreate of a new row': ({ User }, transaction) =>
    User.findOrCreate({ where: { email: 'n@x' }, transaction }),
  'findCreateFind of a new row': ({ User }, transaction) =>
    User.findCreateFind({ where: { email: 'n@x' }, transaction }),
  'belongsToMany add': (models, transaction) => user(models).addProject(3, { transaction }),
  'belongsToMany add, changing the through row': (models, transaction) =>
    user(models).addProject(1, { through: { role: 'x' }, transaction }),
  'belongsToMany set': (models, transaction) => user(models).setProjects([3], { transaction }),
  'belongsToMany get': (models, transaction) => user(models).getProjects({ transaction }),
  'belongsToMany count': (models, transaction) => user(models).countProjects({ transaction }),
  'belongsToMany has': (models, transaction) => user(models).hasProject(1, { transaction }),
  'belongsToMany remove': (models, transaction) => user(models).removeProject(1, { transaction }),
  'belongsToMany create': (models, transaction) =>
    user(models).createProject({ name: 'n' }, { transaction }),
  'hasMany add': (models, transaction) => user(models).addTask(3, { transaction }),
  'hasMany set': (models, transaction) => user(models).setTasks([3], { transaction }),
  'hasMany get': (models, transaction) => user(models).getTasks({ transaction }),
  'hasMany count': (models, transaction) => user(models).countTasks({ transaction }),
  'hasMany has': (models, transaction) => user(models).hasTask(1, { transaction }),
  'hasMany remove': (models, transaction) => user(models).removeTask(1, { transaction }),
  'hasMany create': (models, transaction) =>
    user(models).createTask({ title: 'n' }, { transaction }),
  'hasOne set': async (models, transaction) =>
    user(models).setProfile(models.Profile.build({ id: 2 }, { isNewRecord: false }), {
      transaction,
    }),
  'hasOne get': (models, transaction) => user(models).getProfile({ transaction }),
  'hasOne create': (models, transaction) =>
    user(models).createProfile({ bio: 'n' }, { transaction }),
  'belongsTo get': (models, transaction) => task(models).getUser({ transaction }),
  'belongsTo set': (models, transaction) => task(models).setUser(2, { transaction }),
  'belongsTo create': (models, transaction) =>
    task(models).createUser({ name: 'n' }, { transaction }),
  'paranoid destroy': (models, transaction) => task(models).destroy({ transaction }),
  'paranoid restore': async (models, transaction) => {
    await models.Task.destroy({ where: { id: 1 }, transaction });
    await models.Task.restore({ where: { id: 1 }, transaction });
  },
  'forced destroy': (models, transaction) => task(models).destroy({ force: true, transaction }),
  'static destroy': ({ Profile }, transaction) =>
    Profile.destroy({ where: { id: 1 }, transaction }),
  'destroy individualHooks': ({ Profile }, transaction) =>
    Profile.destroy({ where: { id: 2 }, individualHooks: true, transaction }),
  'destroy of a parent, with hooks of its children': (models, transaction) =>
    user(models).destroy({ transaction }),
  'destroy with truncate': ({ Comment }, transaction) =>
    Comment.destroy({ truncate: true, cascade: true, transaction }),
  truncate: ({ Comment }, transaction) => Comment.truncate({ transaction }),
  'truncate of a parent': ({ User }, transaction) => User.truncate({ cascade: true, transaction }),
  describe: ({ User, sequelize }, transaction) =>
    sequelize.getQueryInterface().describeTable(User.getTableName(), { transaction } as never),
  'queryInterface bulkInsert': ({ sequelize }, transaction) =>
    sequelize.getQueryInterface().bulkInsert('users', [{ name: 'q' }], { transaction }),
  'queryInterface bulkInsert with a schema': ({ sequelize }, transaction) =>
    sequelize
      .getQueryInterface()
      .bulkInsert({ schema: 'x1', tableName: 'things' }, [{ a: 'q' }], { transaction }),
  'queryInterface bulkUpdate': ({ sequelize }, transaction) =>
    sequelize.getQueryInterface().bulkUpdate('users', { n: 2 }, { id: 1 }, { transaction }),
  'queryInterface bulkDelete': ({ sequelize }, transaction) =>
    sequelize.getQueryInterface().bulkDelete('profiles', { id: 1 }, { transaction }),
  'queryInterface bulkDelete with truncate': ({ sequelize }, transaction) =>
    sequelize
      .getQueryInterface()
      .bulkDelete('comments', {}, { truncate: true, transaction } as never),
  'queryInterface select': ({ sequelize, User }, transaction) =>
    sequelize.getQueryInterface().select(User, 'users', { where: { id: 1 }, transaction }),
  'queryInterface rawSelect': ({ sequelize }, transaction) =>
    sequelize
      .getQueryInterface()
      .rawSelect('users', { attributes: ['n'], transaction } as never, 'n'),
  'queryInterface upsert': ({ sequelize, User }, transaction) =>
    sequelize.getQueryInterface().upsert('users', { id: 1, name: 'z' }, { name: 'z' }, { id: 1 }, {
      model: User,
      transaction,
    } as never),
  showAllTables: ({ sequelize }, transaction) =>
    sequelize.getQueryInterface().showAllTables({ transaction }),
  'create in a schema': ({ Thing }, transaction) => Thing.create({ a: 'y' }, { transaction }),
  'findAll in a schema': ({ Thing }, transaction) => Thing.findAll({ transaction }),
  'find with a lock': ({ User }, transaction) =>
    User.findAll({ lock: transaction.LOCK.UPDATE, skipLocked: true, transaction }),
  'a savepoint': ({ sequelize, User }, outer) =>
    sequelize.transaction({ transaction: outer }, (transaction) =>
      User.increment('n', { where: { id: 1 }, transaction }),
    ),
};

const SELECT = { type: QueryTypes.SELECT };
const text =
  (sql: string, options: object = {}): Call =>
  ({ sequelize }, transaction) =>
    sequelize.query(sql, { ...options, transaction });

/** What people write by hand. */
export const RAW: Record<string, Call> = {
  SELECT: text('SELECT * FROM users'),
  'SELECT, type SELECT': text('SELECT * FROM users', SELECT),
  'SELECT, model': ({ sequelize, User }, transaction) =>
    sequelize.query('SELECT * FROM users', { model: User, mapToModel: true, transaction }),
  'SELECT, plain': text('SELECT * FROM users', { plain: true }),
  'SELECT, nest': text('SELECT * FROM users', { nest: true }),
  'SELECT FOR UPDATE': text('SELECT * FROM users FOR UPDATE', SELECT),
  UPDATE: text('UPDATE users SET n = n WHERE id = 1'),
  'UPDATE RETURNING': text('UPDATE users SET n = n WHERE id = 1 RETURNING id', SELECT),
  'WITH ... UPDATE': text(
    'WITH w AS (UPDATE users SET n = n WHERE id = 1 RETURNING id) SELECT * FROM w',
    SELECT,
  ),
  'two statements': text('UPDATE users SET n = n WHERE id = 1; UPDATE tasks SET pos = pos'),
  'values as an object': ({ sequelize }, transaction) =>
    sequelize.query({ query: 'UPDATE users SET n = ? WHERE id = 1', values: [3] }, { transaction }),
  replacements: text('UPDATE users SET name = :name WHERE id = 1', {
    replacements: { name: "x' ; DELETE FROM tasks --" },
  }),
  bind: text('UPDATE users SET name = $name WHERE id = 1', { bind: { name: 'x' } }),
};
