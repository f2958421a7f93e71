import { expect } from 'chai';
import { col, fn, literal, type Model } from 'sequelize';
import { belongsToMany, byKey, createLoaders, hasMany } from '../../src/dataloader';
import { Post, PostTag, User } from './town';
import { useTown } from './use-town';

describe('something else under the name of the key', () => {
  const here = useTown();
  const plain = (rows: readonly Model[]) => rows.map((row) => row.get({ plain: true }) as unknown);

  it('stays what it is in rows by an attribute', async () => {
    const attributes = ['id', [fn('upper', col('name')), 'name']] as never;
    const { one, many, literally, added } = createLoaders(here.reads, {
      one: byKey(User, 'name', { attributes }),
      many: byKey(User, 'name', { attributes, many: true, limit: 1 }),
      literally: byKey(User, 'name', {
        attributes: ['id', literal('upper(name) AS "name"')] as never,
      }),
      added: byKey(User, 'name', { attributes: { include: [[fn('upper', col('name')), 'name']] } }),
    });
    const names = ['ann', 'nobody', 'bob'];
    for (const loader of [one, added]) {
      const found = await loader.loadMany(names);
      expect(found.map((row) => (row as User | null)?.name)).to.deep.equal([
        'ANN',
        undefined,
        'BOB',
      ]);
    }
    // Sequelize has no name for what a bare literal gives, and leaves it out.
    const [ann, nobody] = await literally.loadMany(names);
    expect(plain([ann as User])).to.deep.equal([{ id: 1 }]);
    expect(nobody).to.equal(null);
    expect(plain(await many.load('ann'))).to.deep.equal([{ id: 1, name: 'ANN' }]);
  });

  it('stays what it is in rows of an association', async () => {
    const options = {
      attributes: ['id', [literal('author_id * 100'), 'authorId']] as never,
      order: ['id'],
    };
    const { posts, first } = createLoaders(here.reads, {
      posts: hasMany(User.associations.posts, options),
      first: hasMany(User.associations.posts, { ...options, limit: 1 }),
    });
    const [ofAnn, ofBob] = await Promise.all([posts.load(1), posts.load(2)]);
    expect(ofAnn.map(({ authorId }) => authorId)).to.deep.equal([100, 100]);
    expect(ofBob.map(({ authorId }) => authorId)).to.deep.equal([200]);
    expect(plain(await first.load(1))).to.deep.equal([{ id: 1, authorId: 100 }]);
  });

  it('stays what it is in a scope, of the rows and of the rows between', async () => {
    User.addScope('loud', { attributes: ['id', [fn('upper', col('name')), 'name']] });
    PostTag.addScope(
      'defaultScope',
      { attributes: ['weight', [literal('post_id * 100'), 'postId']] },
      { override: true },
    );
    const { loud, tags } = createLoaders(here.reads, {
      loud: byKey(User, 'name', { scope: 'loud' }),
      tags: belongsToMany(Post.associations.tags, { order: ['id'], through: {} }),
    });
    expect((await loud.load('ann'))?.name).to.equal('ANN');
    const [ofFirst, ofThird] = await Promise.all([tags.load(1), tags.load(3)]);
    expect(ofFirst.map(({ label }) => label)).to.deep.equal(['red', 'blue']);
    expect(ofThird.map(({ label }) => label)).to.deep.equal(['red']);
  });
});
