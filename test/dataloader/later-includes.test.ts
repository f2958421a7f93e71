import { expect } from 'chai';
import { Model, col, fn, type FindOptions } from 'sequelize';
import { belongsToMany, createLoaders } from '../../src/dataloader';
import { Comment, Post, Tag, User } from './town';
import { useTown } from './use-town';

/** As responses have it. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe('includes of several rows in a belongsToMany', () => {
  const town = useTown();
  const order: [string, string][] = [['id', 'ASC']];

  function load(options: { include: FindOptions['include']; limit?: number }, ...tags: number[]) {
    const { posts } = createLoaders(town.reads, {
      posts: belongsToMany(Tag.associations.posts, { ...options, order }),
    });
    return Promise.all(tags.map((tag) => posts.load(tag)));
  }

  async function found(options: { include: FindOptions['include'] }, tag: number) {
    const row = (await Tag.findByPk(tag)) as unknown as {
      getPosts(options: object): Promise<Post[]>;
    };
    return row.getPosts({ include: [options.include].flat(), order });
  }

  const INCLUDES = (): Record<string, FindOptions['include']> => ({
    'of a name': 'comments',
    'of a model': { model: Comment, as: 'comments' },
    separate: [{ association: Post.associations.comments, separate: true, order }],
    'with some attributes': [{ association: 'comments', attributes: ['body', 'id'] }],
    'beside one of a single row': ['comments', Post.associations.author],
    'below one of a single row': [
      { association: 'author', include: [{ association: 'posts', separate: true, order }] },
    ],
    'with a through row': [{ association: 'tags', through: { attributes: ['weight'] } }],
  });

  it('come out as plain objects with their rows, as findAll gives them', async () => {
    for (const [name, include] of Object.entries(INCLUDES())) {
      const [got] = await load({ include }, 1);
      const expected = await found({ include }, 1);
      expect(plain(got), name).to.deep.equal(plain(expected));
      for (const [index, row] of got!.entries()) {
        const copy = row.get({ plain: true });
        expect(copy, name).to.deep.equal(expected[index]!.get({ plain: true }));
        expect(row.toJSON(), name).to.deep.equal(copy);
        for (const value of Object.values(copy).flat()) expect(value).not.to.be.instanceOf(Model);
      }
    }
  });

  it('come again when a row is reloaded', async () => {
    for (const [name, include] of Object.entries(INCLUDES())) {
      const [[row]] = (await load({ include }, 1)) as [Post[]];
      const [expected] = await found({ include }, 1);
      await Promise.all([row!.reload(), expected!.reload()]);
      expect(plain(row), name).to.deep.equal(plain(expected));
    }
  });

  it('are instances of their own for each row', async () => {
    const [ofRed, ofBlue] = await load({ include: 'comments' }, 1, 2);
    const [red, blue] = [ofRed, ofBlue].map((rows) => rows!.find(({ id }) => id === 1)!.comments!);
    expect(red).not.to.equal(blue);
    expect(red![0]).to.be.instanceOf(Comment);
    red![0]!.body = 'changed';
    red!.pop();
    expect(blue!.map(({ body }) => body)).to.deep.equal(['c1', 'c2']);
  });

  it('are empty where a row has none, and null where there is no row between', async () => {
    await Post.update({ authorId: null }, { where: { id: 2 } });
    try {
      const include = [
        'comments',
        { association: 'author', include: [User.associations.posts] },
      ] as FindOptions['include'];
      const [rows] = await load({ include }, 1);
      const { comments, author } = rows!.find(({ id }) => id === 2)!;
      expect({ comments, author }).to.deep.equal({ comments: [], author: null });
    } finally {
      await Post.update({ authorId: 1 }, { where: { id: 2 } });
    }
  });

  it('are not what rows are ordered by', async () => {
    const { comments, author, tags } = Post.associations;
    const ask = (include: FindOptions['include'], by: unknown) => {
      const given = { include, order: by as never };
      return createLoaders(town.reads, { posts: belongsToMany(Tag.associations.posts, given) });
    };
    const refusal =
      `belongsToMany(Tag.posts): can't order by the included "comments", which is read by a statement of its own; ` +
      `give the order in the include: { association: "comments", separate: true, order: […] }.`;
    const entries: unknown[] = [
      [comments, 'id', 'DESC'],
      ['comments', 'id'],
      [{ model: Comment, as: 'comments' }, 'id'],
      [col('comments.id'), 'DESC'],
      fn('lower', col('comments.body')),
    ];
    for (const entry of entries) {
      expect(() => ask('comments', [['id', 'ASC'], entry])).to.throw(refusal);
    }
    expect(() => ask('tags', [[tags, 'id']])).to.throw('sort its rows once they are loaded');
    const { posts } = createLoaders(town.reads, {
      posts: belongsToMany(Tag.associations.posts, {
        include: 'comments',
        order: (by: string) => [['comments', by]],
      }),
    });
    const error: unknown = await posts
      .with('id')
      .load(1)
      .catch((reason: unknown) => reason);
    expect((error as Error).message).to.equal(refusal);
    const others = ask(['comments', author], [[author, 'id'], 'id', fn('lower', 'comments')]).posts;
    expect((await others.load(1)).map(({ id }) => id)).to.deep.equal([1, 2, 3]);
  });
});
