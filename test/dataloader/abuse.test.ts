import { expect } from 'chai';
import { DataTypes, Sequelize, col, fn, literal, type Order } from 'sequelize';
import { freshReads, isOptionsError, type FreshReads } from '../../src';
import {
  belongsTo,
  belongsToMany,
  byKey,
  countOf,
  createLoaders,
  hasMany,
} from '../../src/dataloader';
import { Post, User, town } from './town';

const ORDERS =
  "an array such as ['id'] or [['id', 'DESC']], or what literal, fn or col of Sequelize give";

describe('loaders that are called wrongly', () => {
  let sequelize: Sequelize;
  let reads: FreshReads;

  before(() => {
    sequelize = new Sequelize('postgres://nobody@127.0.0.1:1/none', { logging: false });
    town(sequelize);
    reads = freshReads(sequelize);
  });

  after(() => sequelize.close());

  const refused = (fn: () => unknown, message: string) => {
    let thrown: unknown;
    try {
      fn();
    } catch (error) {
      thrown = error;
    }
    expect(isOptionsError(thrown), String(thrown)).to.equal(true);
    expect((thrown as Error).message).to.equal(message);
  };

  const rejected = async (promise: Promise<unknown>, message: string) => {
    const error: unknown = await promise.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).to.be.instanceOf(Error).and.to.have.property('message', message);
  };

  it('says what is wrong with the handle and the definitions', () => {
    refused(
      () => createLoaders(sequelize as never, {}),
      'createLoaders: the first argument must be the handle that freshReads(sequelize) gave, got a Sequelize instance itself. Write createLoaders(freshReads(sequelize), …).',
    );
    refused(
      () => createLoaders({ user: byKey(User) } as never, undefined as never),
      'createLoaders: the first argument must be the handle that freshReads(sequelize) gave, got { user: {…} }. Write createLoaders(freshReads(sequelize), …).',
    );
    refused(
      () => createLoaders(reads, [] as never),
      'createLoaders(reads, definitions): definitions must be an object such as { user: byKey(User) }, got [].',
    );
    refused(
      () => createLoaders(reads, { user: User as never }),
      'createLoaders: "user" must be made by byKey, hasMany, belongsTo, hasOne, belongsToMany, countOf or batch, got class User.',
    );
  });

  it('says what is wrong with a model, an attribute or an association', () => {
    refused(
      () => byKey('users' as never),
      'byKey(model, attribute, options): model must be a Sequelize model, got "users".',
    );
    refused(
      () => byKey(User, 'mail' as never),
      'byKey(User, \'mail\'): User has no attribute "mail"; it has id, name, email.',
    );
    const expected =
      'byKey(model, attribute, options): attribute must be a name, an array of names, or undefined for the primary key';
    refused(
      () => byKey(User, { many: true } as never),
      `${expected}, got { many: true }. Options are the third argument: byKey(User, undefined, { ... }) is the primary key with options.`,
    );
    refused(() => byKey(User, 5 as never), `${expected}, got 5.`);
    refused(() => byKey(User, null as never), `${expected}, got null.`);
    refused(() => byKey(User, [] as never), `${expected}, got [].`);
    refused(
      () => hasMany(Post.associations.author),
      'hasMany(association, options): association must be a HasMany association such as Model.associations.name, got a BelongsTo association.',
    );
    refused(
      () => belongsTo(undefined),
      "belongsTo(association, options): association must be a BelongsTo association such as Model.associations.name, got undefined: no association of that name is defined (yet). Check the name, and call Model.belongsTo(Other, { as: 'name' }) before belongsTo(Model.associations.name).",
    );
    refused(
      () => belongsToMany((User.associations as Record<string, unknown>)['postz'] as undefined),
      "belongsToMany(association, options): association must be a BelongsToMany association such as Model.associations.name, got undefined: no association of that name is defined (yet). Check the name, and call Model.belongsToMany(Other, { as: 'name', through: Link }) before belongsToMany(Model.associations.name).",
    );
    refused(
      () => countOf(undefined),
      "countOf(association, options): association must be a HasMany or BelongsToMany association such as Model.associations.name, got undefined: no association of that name is defined (yet). Check the name, and call Model.hasMany(Other, { as: 'name' }) before countOf(Model.associations.name).",
    );
  });

  it('says that no row can be found by a virtual attribute or an array', () => {
    const Odd = sequelize.define('Odd', {
      shown: DataTypes.VIRTUAL,
      tags: DataTypes.ARRAY(DataTypes.TEXT),
    });
    refused(
      () => byKey(Odd, 'shown' as never),
      "byKey(Odd, 'shown'): Odd.shown is of type VIRTUAL, which no key can be of.",
    );
    refused(
      () => byKey(Odd, ['id', 'tags'] as never),
      "byKey(Odd, ['id', 'tags']): Odd.tags is of type ARRAY, which no key can be of.",
    );
  });

  it('says what is wrong with an option', () => {
    refused(
      () => byKey(User, 'email', { odrer: ['id'] } as never),
      'byKey(User, \'email\'): unknown option "odrer"; did you mean "order"?',
    );
    refused(
      () => byKey(User, 'email', { many: 1 } as never),
      "byKey(User, 'email'): many must be true or false, got 1.",
    );
    refused(
      () => hasMany(User.associations.posts, 5 as never),
      'hasMany(User.posts): options must be an object, got 5.',
    );
    refused(
      () => hasMany(User.associations.posts, { order: 'id' as never }),
      `hasMany(User.posts): order must be ${ORDERS}, got "id".`,
    );
    refused(
      () => byKey(User, 'email', { order: { id: 'DESC' } as never, name: 'mails' }),
      `mails: order must be ${ORDERS}, got { id: … }.`,
    );
  });

  it('takes every order that findAll takes', () => {
    for (const order of [[], ['id'], [['id', 'DESC']], literal('id'), fn('random'), col('id')]) {
      hasMany(User.associations.posts, { order: order as Order });
    }
    hasMany(User.associations.posts, { order: undefined });
  });

  it('says what is wrong with an order that is made for arguments, once it is', async () => {
    const { posts } = createLoaders(reads, {
      posts: hasMany(User.associations.posts, { order: ({ by }: { by: string }) => by as never }),
    });
    await rejected(
      posts.with({ by: 'id' }).load(1),
      `hasMany(User.posts): order must be ${ORDERS}, got "id".`,
    );
  });

  it('says what is wrong with a key, and queries nothing', async () => {
    const loaders = createLoaders(reads, {
      user: byKey(User),
      posts: hasMany(User.associations.posts),
      author: belongsTo(Post.associations.author),
    });
    await rejected(
      loaders.user.load(null as never),
      'byKey(User): null is no key of type INTEGER.',
    );
    await rejected(
      loaders.posts.load(Post.build({ title: 'x', authorId: null }) as never),
      'hasMany(User.posts): an instance of Post is no key of type INTEGER, and no instance of User.',
    );
    refused(
      () => loaders.user.loadMany(1 as never),
      'byKey(User): loadMany takes an array of keys, got 1.',
    );
    const [error] = await loaders.user.loadMany([{} as never]);
    expect(error).to.have.property('message', 'byKey(User): {} is no key of type INTEGER.');
  });
});
