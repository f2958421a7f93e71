import { expect } from 'chai';
import { DataTypes, Op, Sequelize, literal } from 'sequelize';
import { createAnalyser, loadParser, suspicious } from '../../src/statement';
import { describeAnalysis } from './describe-analysis';

/** The part of Sequelize's query generator that has no types. */
interface Generator {
  insertQuery(
    table: unknown,
    values: object,
    attributes: object,
    options: object,
  ): { query: string };
  updateQuery(
    table: unknown,
    values: object,
    where: object,
    options: object,
    attributes: object,
  ): { query: string };
  deleteQuery(table: unknown, where: object, options: object, model: unknown): string;
  truncateTableQuery(table: unknown, options: object): string;
  arithmeticQuery(
    operator: string,
    table: unknown,
    where: object,
    amounts: object,
    more: object,
    options: object,
  ): string;
  selectQuery(table: unknown, options: object, model: unknown): string;
  createTableQuery(table: unknown, attributes: object, options: object): string;
  addColumnQuery(table: unknown, key: string, attribute: object): string;
  showIndexesQuery(table: unknown): string;
  describeTableQuery(table: string): string;
  getForeignKeysQuery(table: string): string;
  showTablesQuery(): string;
}

describe('statement: texts of Sequelize', () => {
  const options = { dialect: 'postgres' as const, logging: false, databaseVersion: '15.0.0' };
  const sequelize = new Sequelize(options);
  const User = sequelize.define(
    'User',
    { name: DataTypes.STRING, age: DataTypes.INTEGER, kind: DataTypes.ENUM('a', 'b') },
    { tableName: 'users', paranoid: true },
  );
  const Post = sequelize.define('Post', { title: DataTypes.STRING }, { tableName: 'posts' });
  User.hasMany(Post, { as: 'posts' });
  User.belongsToMany(Post, { through: 'likes', as: 'liked' });
  const generator = sequelize.getQueryInterface().queryGenerator as Generator;
  const analyser = createAnalyser();

  before(loadParser);

  /** The SELECT that a finder would send. */
  async function finder(find: () => Promise<unknown>): Promise<string> {
    let text = '';
    const stopped = new Error('stopped before sending');
    const query = (sql: string): Promise<never> => {
      text = sql;
      return Promise.reject(stopped);
    };
    Object.defineProperty(sequelize, 'query', { value: query, configurable: true });
    try {
      await find();
    } catch (error) {
      if (error !== stopped) throw error;
    } finally {
      Reflect.deleteProperty(sequelize, 'query');
    }
    return text;
  }

  const finders: readonly [string, () => Promise<unknown>, string][] = [
    [
      'findAll',
      () =>
        User.findAll({
          where: { name: { [Op.iLike]: `%it's (x); --%` }, age: [1, 2, 3] },
          order: [['name', 'DESC']],
        }),
      'read | read users',
    ],
    ['findByPk', () => User.findByPk(1), 'read | read users'],
    ['an include', () => User.findAll({ include: ['posts'] }), 'read | read posts users'],
    [
      'a limited include',
      () => User.findAll({ include: [{ association: 'posts', where: { title: 'x' } }], limit: 5 }),
      'read | read posts users',
    ],
    [
      'an include through a table',
      () => User.findAll({ include: ['liked'] }),
      'read | read likes posts users',
    ],
    [
      'count',
      () => User.count({ where: { age: { [Op.gt]: 5 } } }),
      'read | read users | call count',
    ],
    [
      'count with an include',
      () => User.count({ include: ['posts'], distinct: true }),
      'read | read posts users | call count',
    ],
    ['max', () => User.max('age'), 'read | read users | call max'],
  ];
  for (const [name, find, expected] of finders) {
    it(`${name} is a plain read`, async () => {
      const sql = await finder(find);
      expect(describeAnalysis(analyser.analyse(sql))).to.equal(expected);
      expect(suspicious(sql), sql).to.equal(false);
    });
  }

  it('a literal subquery is read; a lock is seen', async () => {
    const sql = await finder(() =>
      User.findAll({ where: { id: { [Op.in]: literal('(SELECT "UserId" FROM secrets)') } } }),
    );
    expect(describeAnalysis(analyser.analyse(sql))).to.equal('read | read secrets users');
    const locked = await finder(() => User.findOne({ lock: true }));
    expect(describeAnalysis(analyser.analyse(locked))).to.equal('read | read users | locking');
    expect(suspicious(locked)).to.equal(true);
  });

  it('findOrCreate writes its table through a temporary function', () => {
    for (const options of [{ exception: true, returning: true }, { exception: true }]) {
      const { query } = generator.insertQuery(
        { tableName: 'users', schema: 'own' },
        { name: `it's $func$ (x)` },
        User.getAttributes(),
        options,
      );
      expect(query).to.include('pg_temp.testfunc');
      const analysis = analyser.analyse(query);
      expect(describeAnalysis(analysis)).to.equal('write | write own.users:I | temporary');
      expect(analysis.kinds).to.deep.equal(['definition', 'read', 'definition']);
      expect(suspicious(query)).to.equal(true);
    }
  });

  const attributes = User.getAttributes();
  const texts: readonly [string, () => string, string][] = [
    [
      'insert',
      () => generator.insertQuery('users', { name: 'x' }, attributes, { returning: true }).query,
      'write | write users:I',
    ],
    [
      'upsert',
      () =>
        generator.insertQuery('users', { name: 'x' }, attributes, {
          updateOnDuplicate: ['name'],
          upsertKeys: ['id'],
        }).query,
      'write | write users:IU',
    ],
    [
      'update',
      () =>
        generator.updateQuery('users', { name: 'x' }, { id: 1 }, { returning: true }, attributes)
          .query,
      'write | write users:U',
    ],
    [
      'update with a literal',
      () =>
        generator.updateQuery(
          'users',
          { age: literal('(SELECT 1 FROM posts)') },
          { id: 1 },
          {},
          attributes,
        ).query,
      'write | read posts | write users:U',
    ],
    [
      'increment',
      () => generator.arithmeticQuery('+', 'users', { id: 1 }, { age: 1 }, {}, {}),
      'write | write users:U',
    ],
    ['delete', () => generator.deleteQuery('users', { id: 1 }, {}, User), 'write | write users:D'],
    [
      'limited delete',
      () => generator.deleteQuery('users', { age: 1 }, { limit: 5 }, User),
      'write | read users | write users:D',
    ],
    [
      'truncate',
      () => generator.truncateTableQuery('users', { cascade: true, restartIdentity: true }),
      'write | write users:T!',
    ],
    [
      'create table',
      () =>
        generator.createTableQuery(
          'users',
          { id: 'SERIAL PRIMARY KEY', post: 'INTEGER REFERENCES "posts" ("id")' },
          { comment: "it's" },
        ),
      'definition | write posts:X users:X | catalog',
    ],
    [
      'add an enum column',
      () =>
        generator.addColumnQuery('users', 'kind', {
          type: DataTypes.ENUM('a', 'b'),
          values: ['a', 'b'],
        }),
      'other | write public.users:X | catalog',
    ],
    ['show tables', () => generator.showTablesQuery(), 'read | read information_schema.tables'],
  ];
  for (const [name, text, expected] of texts) {
    it(name, () => {
      expect(describeAnalysis(analyser.analyse(text()))).to.equal(expected);
    });
  }

  it('its look at the catalog reads nothing else', () => {
    for (const sql of [
      generator.showIndexesQuery('users'),
      generator.describeTableQuery('users'),
      generator.getForeignKeysQuery('users'),
    ]) {
      const { kind, reads } = analyser.analyse(sql);
      expect(kind).to.equal('read');
      expect(
        reads.filter(
          ({ schema, name }) => schema !== 'information_schema' && !name.startsWith('pg_'),
        ),
      ).to.deep.equal([]);
    }
  });
});
