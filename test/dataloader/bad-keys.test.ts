import { expect } from 'chai';
import { DataTypes, type Model } from 'sequelize';
import { byKey, createLoaders, type Loader } from '../../src/dataloader';
import { useTown } from './use-town';

describe('keys that the server can not read', () => {
  const here = useTown();

  async function load(keys: readonly string[]): Promise<(Model | null | Error)[]> {
    const Texts = here.sequelize.define(
      'texts',
      { id: { type: DataTypes.TEXT, primaryKey: true }, name: DataTypes.TEXT },
      { tableName: 'users', timestamps: false },
    );
    const { user } = createLoaders(here.reads, { user: byKey(Texts) });
    return (user as unknown as Loader<string, Model | null>).loadMany(keys);
  }

  const numbers = (count: number) => Array.from({ length: count }, (_, index) => String(index + 1));
  const isError = (value: unknown): value is Error => value instanceof Error;

  it('leave the others alone, eight of 2000', async () => {
    const keys = numbers(2000);
    for (let bad = 0; bad < 8; bad++) keys[bad * 249 + 17] = `bad ${bad}`;
    const found = await load(keys);
    expect(found.filter(isError).length).to.equal(8);
    for (const [index, value] of found.entries()) {
      if (isError(value))
        expect(value.message).to.equal(`invalid input syntax for type integer: "${keys[index]}"`);
    }
    expect((found[0] as Model).get('name')).to.equal('ann');
  });

  it('are given up when they are too many, and the error says so', async () => {
    const found = await load(numbers(400).map((key) => `bad ${key}`));
    // Each statement that fails is tried on all three nodes.
    expect(here.log.take().length).to.be.below(300);
    const messages = found.map((value) => (value as Error).message);
    expect(messages[0]).to.equal('invalid input syntax for type integer: "bad 1"');
    expect(messages.at(-1)).to.match(
      /^invalid input syntax for type integer: "bad \d+" \(This is about at least one of \d+ keys of a batch: too many others had failed to find out which\.\)$/,
    );
  });
});
