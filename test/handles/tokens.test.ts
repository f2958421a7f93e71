import { expect } from 'chai';
import type { FreshReads, FreshReadsOptions } from '../../src';
import { TokenCodec } from '../../src/operation';
import type { TestDatabase } from '../support/shared-cluster';
import { makeDatabase, SECRET, Side } from './sides';

/** Replicas are paused: whatever a standby answers is stale where it was written. */
describe('a token among the handles of several databases', () => {
  let one: TestDatabase;
  let two: TestDatabase;
  let a: Side;
  let b: Side;

  before(async () => {
    [one, two] = [await makeDatabase('only_one'), await makeDatabase('only_two')];
    await one.pauseReplicas();
    [a, b] = await Promise.all([Side.open(one), Side.open(two)]);
  });
  after(async () => {
    await one.close();
    await two.close();
  });

  const tokenAfter = (side: Side, table: string) =>
    side.reads.runOperation({}, async () => {
      await side.write(table);
      return (await side.reads.token())!;
    });
  /** The tables that are read on the primary by whoever has the token. */
  const held = (side: Side, token: string, ...tables: string[]) =>
    side.reads.runOperation({ token }, async () => {
      const standby = await Promise.all(tables.map((table) => side.onStandby(table)));
      return tables.filter((_, index) => !standby[index]);
    });
  const counts = (reads: FreshReads) => reads.status().tokens;

  it('is taken by the handles on its own database, whichever made it, and by no other', async () => {
    const other = await Side.open(one);
    const token = await tokenAfter(a, 'users');
    for (const side of [a, other]) {
      expect(await held(side, token, 'users', 'posts', 'only_one')).to.deep.equal(['users']);
    }
    const before = counts(b.reads);
    // Their tables have the same names.
    expect(await held(b, token, 'users', 'posts', 'only_two')).to.deep.equal([]);
    expect(counts(b.reads)).to.deep.equal(before);
  });

  it('means everything where no handle is on its database: it may be ours of before, on another cluster', async () => {
    const third = await makeDatabase('only_three');
    const gone = await Side.open(third);
    const token = await tokenAfter(gone, 'users');
    expect(await held(a, token, 'users', 'posts')).to.deep.equal([]);
    await gone.sequelize.close();
    expect(await held(a, token, 'users', 'posts')).to.deep.equal(['users', 'posts']);
    await third.close();
  });

  it('is of its database under any name and address', async () => {
    const { write, read } = one.cluster.sequelizeOptions().replication;
    const here = (node: object) => ({ ...node, database: one.name, host: 'localhost' });
    const aliased = await Side.open({
      connect: () => one.connect({ replication: { write: here(write), read: read.map(here) } }),
    });
    expect(await held(aliased, await tokenAfter(a, 'users'), 'users', 'posts')).to.deep.equal([
      'users',
    ]);
    expect(await held(a, await tokenAfter(aliased, 'posts'), 'users', 'posts')).to.deep.equal([
      'posts',
    ]);
  });

  it('that names no database is read by all of them', async () => {
    const token = new TokenCodec([SECRET]).write({
      ...{ issuedAtMs: Date.now(), place: undefined, seen: undefined },
      writes: [{ table: 'public.users', open: false, committedAtMs: Date.now(), position: 0n }],
    });
    for (const side of [a, b]) {
      expect(await held(side, token, 'users', 'posts')).to.deep.equal(['users']);
    }
  });

  it('is read in doubt by a handle that does not know its database yet', async () => {
    const early = await Side.open(two, {}, { ready: false });
    const token = await tokenAfter(a, 'users');
    expect(await held(early, token, 'users')).to.deep.equal(['users']);
    await early.reads.ready();
    expect(await held(early, token, 'users')).to.deep.equal([]);
  });

  it('counts as ignored for nobody when the secrets are two', async () => {
    const options: FreshReadsOptions = { sessionSecret: 'another secret of another database' };
    const c = await Side.open(two, options);
    const [fromA, fromC] = [await tokenAfter(a, 'users'), await tokenAfter(c, 'users')];
    expect(await held(c, fromA, 'users')).to.deep.equal([]);
    expect(await held(a, fromC, 'users')).to.deep.equal([]);
    expect([counts(a.reads).ignored, counts(c.reads).ignored]).to.deep.equal([0, 0]);
    expect(await held(a, `${fromC}x`, 'users')).to.deep.equal([]);
    expect(counts(a.reads).ignored).to.equal(1);
  });
});
