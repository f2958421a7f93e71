import { expect } from 'chai';
import { currentFrame } from '../../src/operation';
import { carriedBy, carrying } from '../../src/sequelize/carry';
import type { StatementOptions } from '../../src/sequelize/internals';
import { Statement } from '../../src/sequelize/statement';

const statement = (text: string) => new Statement(text, currentFrame());

/** What Sequelize makes of the options it is given. */
const copyOf = (options: unknown) => ({ ...(options as StatementOptions) });

describe('carrying a statement through options', () => {
  const one = statement('SELECT 1');
  const two = statement('SELECT 2');

  it('finds it in the copy that Sequelize makes', () => {
    expect(carriedBy(copyOf(carrying(undefined, one)))).to.equal(one);
    expect(carriedBy(copyOf(carrying({ raw: true }, one)))).to.equal(one);
    expect(carriedBy(copyOf(carrying({ tableNames: ['users'] }, one)))).to.equal(one);
  });

  it('finds none in options that never came by', () => {
    expect(carriedBy({})).to.equal(undefined);
    expect(carriedBy({ tableNames: ['users'] })).to.equal(undefined);
  });

  it("leaves the caller's object as it was, frozen or not", () => {
    const options = { raw: true, plain: true };
    carrying(options, one);
    expect(Reflect.ownKeys(options)).to.deep.equal(['raw', 'plain']);
    const frozen = Object.freeze({ tableNames: Object.freeze(['users']) });
    expect(carriedBy(copyOf(carrying(frozen, one)))).to.equal(one);
    expect(Reflect.ownKeys(frozen.tableNames)).to.deep.equal(['0', 'length']);
  });

  it("copies nothing of a finder's options", () => {
    const options = { tableNames: ['users'] };
    expect(carrying(options, one)).to.equal(options);
    expect(Reflect.ownKeys(options)).to.deep.equal(['tableNames']);
    expect(options.tableNames).to.deep.equal(Object.assign(['users'], options.tableNames));
  });

  it('keeps calls apart that share their options, in whatever order their copies are made', () => {
    for (const shared of [{ raw: true }, { tableNames: ['users'] }]) {
      const first = carrying(shared, one);
      const second = carrying(shared, two);
      const third = carrying(copyOf(first), two);
      expect(carriedBy(copyOf(second))).to.equal(two);
      expect(carriedBy(copyOf(third))).to.equal(two);
      expect(carriedBy(copyOf(first))).to.equal(one);
    }
  });

  it('keeps calls apart that share only the list of tables', () => {
    const tableNames = ['users'];
    const first = carrying({ tableNames }, one);
    const second = carrying({ tableNames, raw: true }, two);
    expect(carriedBy(copyOf(first))).to.equal(one);
    expect(carriedBy(copyOf(second))).to.equal(two);
  });

  it('takes no list for one that is none', () => {
    for (const tableNames of ['users', null, 7]) {
      const options = { tableNames } as unknown as StatementOptions;
      expect(carriedBy(options)).to.equal(undefined);
      expect(carriedBy(copyOf(carrying(options, one)))).to.equal(one);
    }
  });
});
