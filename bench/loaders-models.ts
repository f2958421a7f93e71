import { DataTypes, Sequelize, type Model, type ModelStatic, type Options } from 'sequelize';

export const PARENTS = 5_000;
export const CHILDREN = 200_000;
export const GROUPS = 500;
export const GROUPS_EACH = 6;

type Row = Model<Record<string, unknown>, Record<string, unknown>>;

/** The same models on an instance of their own. */
export function models(options: Options) {
  const sequelize = new Sequelize(options);
  const timestamps = { timestamps: false };
  const User: ModelStatic<Row> = sequelize.define(
    'user',
    { name: DataTypes.TEXT, email: DataTypes.TEXT },
    timestamps,
  );
  const child = { title: DataTypes.TEXT, body: DataTypes.TEXT, userId: DataTypes.INTEGER };
  const Post: ModelStatic<Row> = sequelize.define('post', child, timestamps);
  const Note: ModelStatic<Row> = sequelize.define('note', child, timestamps);
  const Group: ModelStatic<Row> = sequelize.define('group', { name: DataTypes.TEXT }, timestamps);
  const Membership: ModelStatic<Row> = sequelize.define(
    'membership',
    {
      userId: { type: DataTypes.INTEGER, primaryKey: true },
      groupId: { type: DataTypes.INTEGER, primaryKey: true },
    },
    timestamps,
  );
  const posts = User.hasMany(Post, { as: 'posts', foreignKey: 'userId' });
  const author = Post.belongsTo(User, { as: 'user', foreignKey: 'userId' });
  const notes = User.hasMany(Note, { as: 'notes', foreignKey: 'userId' });
  const groups = User.belongsToMany(Group, {
    as: 'groups',
    through: Membership,
    foreignKey: 'userId',
    otherKey: 'groupId',
  });
  Group.belongsToMany(User, {
    as: 'users',
    through: Membership,
    foreignKey: 'groupId',
    otherKey: 'userId',
  });
  return { sequelize, User, Post, Group, posts, notes, author, groups };
}

export type Models = ReturnType<typeof models>;

/**
 * Tables and rows; the children of a parent are scattered over their table. One table of them has the
 * index that lists of the newest want, on key and id, the other one an index on the key alone.
 */
export async function fill(sequelize: Sequelize): Promise<void> {
  const statements = [
    'CREATE TABLE users (id int PRIMARY KEY, name text, email text)',
    'CREATE TABLE posts (id int PRIMARY KEY, title text, body text, "userId" int)',
    'CREATE TABLE groups (id int PRIMARY KEY, name text)',
    'CREATE TABLE memberships ("userId" int, "groupId" int, PRIMARY KEY ("userId", "groupId"))',
    `INSERT INTO users SELECT i, 'user ' || i, 'user' || i || '@example.org' FROM generate_series(1, ${PARENTS}) i`,
    `INSERT INTO posts SELECT i, 'post ' || i, repeat('text ', 10), (i * 7) % ${PARENTS} + 1 FROM generate_series(1, ${CHILDREN}) i`,
    `INSERT INTO groups SELECT i, 'group ' || i FROM generate_series(1, ${GROUPS}) i`,
    `INSERT INTO memberships SELECT u, (u * 13 + g * 31) % ${GROUPS} + 1 FROM generate_series(1, ${PARENTS}) u, generate_series(1, ${GROUPS_EACH}) g`,
    'CREATE TABLE notes AS TABLE posts',
    'ALTER TABLE notes ADD PRIMARY KEY (id)',
    'CREATE INDEX ON posts ("userId", id)',
    'CREATE INDEX ON notes ("userId")',
    'CREATE INDEX ON memberships ("groupId")',
  ];
  for (const sql of statements) await sequelize.query(sql);
  await sequelize.query('VACUUM ANALYZE');
}
