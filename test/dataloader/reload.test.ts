import { expect } from 'chai';
import { belongsToMany, createLoaders } from '../../src/dataloader';
import { Post, Tag } from './town';
import { useTown } from './use-town';

/** As responses have it. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe('rows of a belongsToMany that are reloaded', () => {
  const town = useTown();

  async function reloadAll(options: object): Promise<void> {
    const loaders = createLoaders(town.reads, {
      tags: belongsToMany(Post.associations.tags, { order: ['id'], ...options }),
      posts: belongsToMany(Tag.associations.posts, { order: ['id'], ...options }),
    });
    const loaded = await Promise.all([
      ...[1, 2, 3].map((id) => loaders.tags.load(id)),
      ...[1, 2, 3].map((id) => loaders.posts.load(id)),
    ]);
    const before = plain(loaded);
    for (const row of loaded.flat()) await row.reload();
    expect(plain(loaded)).to.deep.equal(before);
    expect(before).to.not.deep.equal([[], [], [], [], [], []]);
  }

  it('have the link of their own source, where all of a source were loaded', () => reloadAll({}));

  it('have it where a limit was', () => reloadAll({ limit: 2 }));

  it('have it where the link had conditions', () =>
    reloadAll({ through: { where: { weight: [1, 3, 5] } } }));

  it('are answered as raw rows where they are raw', async () => {
    const { tags } = createLoaders(town.reads, {
      tags: belongsToMany(Post.associations.tags, { raw: true, order: ['id'] }),
    });
    expect((await tags.load(1)).map(({ label }) => label)).to.deep.equal(['red', 'blue']);
  });
});
