import { expect } from 'chai';
import { isOptionsError } from '../../src';
import { TokenCodec } from '../../src/operation';
import { createDatabase, type TestDatabase } from '../support/shared-cluster';
import { SECRET, Site, until } from './support';

const HELD = 'primary table-written';
const FREE = ['replica no-live-writes', 'replica tables-untouched'];
const MANY = Array.from({ length: 17 }, (_, i) => `many${i}`);

/** Replicas are paused all the time: whatever is not held back is stale. */
describe('a token from one process to another', () => {
  let database: TestDatabase;
  let one: Site;
  let two: Site;

  before(async () => {
    database = await createDatabase(
      ...['users', 'posts', ...MANY].map((table) => `CREATE TABLE ${table} (id serial)`),
      'CREATE SCHEMA app',
      'CREATE TABLE app.users (id serial)',
    );
    await database.pauseReplicas();
    one = await Site.open(database);
    two = await Site.open(database);
  });
  after(() => database.close());

  it('holds back what was written, and nothing else', async () => {
    const token = await one.tokenAfter('users');
    expect(token).to.match(/^[\w-]{20,511}$/);
    const written = await one.count('users', { useMaster: true });
    await two.reads.runOperation({ token }, async () => {
      expect(await two.count('users')).to.equal(written);
      expect(await two.readsOf('users', 'posts')).to.deep.equal([HELD, FREE[1]]);
      expect(two.reads.history().map(({ table, state }) => [table, state])).to.deep.equal([
        ['users', 'committed'],
      ]);
    });
    // Another client's operations go on as before.
    expect(await two.readsWith(undefined, 'users')).to.deep.equal([FREE[0]]);
    expect(two.reads.status().tokens).to.deep.equal({ accepted: 1, widened: 0, ignored: 0 });
  });

  it('is passed on until everything has arrived', async () => {
    const third = await Site.open(database);
    const token = await two.passOn(await one.tokenAfter('users'));
    expect(await third.readsWith(token, 'users', 'posts')).to.deep.equal([HELD, FREE[1]]);
  });

  it('is of use to the process that made it', async () => {
    const token = await one.tokenAfter('users');
    expect(await one.readsWith(token, 'users', 'posts')).to.deep.equal([HELD, FREE[1]]);
  });

  it('is undefined when nothing is live, and outside an operation', async () => {
    expect(await one.reads.runOperation({}, () => one.reads.token())).to.equal(undefined);
    expect(
      await one.reads.runOperation({}, async () => {
        await one.count('users');
        return one.reads.token();
      }),
    ).to.equal(undefined);
    const site = await Site.open(database);
    await site.insert('posts');
    expect(await site.reads.token()).to.equal(undefined);
  });

  it('waits for writes under way', async () => {
    const token = await one.reads.runOperation({}, async () => {
      const slow = one.sequelize.query('INSERT INTO users SELECT 1 FROM pg_sleep(0.3)');
      await until(() => Promise.resolve(one.reads.history()[0]?.state === 'in-flight'));
      const made = await one.reads.token();
      expect(one.reads.history()[0]?.state).to.equal('committed');
      await slow;
      return made;
    });
    const [write] = new TokenCodec([SECRET]).read(token!)!.writes;
    expect(write).to.include({ open: false });
    expect(await two.readsWith(token, 'users')).to.deep.equal([HELD]);
  });

  it('waits for writes that still wait for a connection, whether they succeed or not', async () => {
    const token = await one.reads.runOperation({}, async () => {
      const issued = one.insert('users');
      const failing = one.sequelize.query('INSERT INTO users VALUES (1 / 0)').catch(() => 'failed');
      expect(one.reads.history()).to.deep.equal([]);
      const made = await one.reads.token();
      expect(one.reads.history()[0]?.state).to.equal('committed');
      await issued;
      expect(await failing).to.equal('failed');
      return made;
    });
    expect(await two.readsWith(token, 'users')).to.deep.equal([HELD]);
  });

  it('waits for those of the operation that it follows, and for no other operation', async () => {
    let release: (() => void) | undefined;
    // Shorter than a token waits for its own writes, longer than this one takes to come.
    const elsewhere = one.reads.runOperation({}, () =>
      one.sequelize
        .query('INSERT INTO posts SELECT 1 FROM pg_sleep(4) /* elsewhere */')
        .catch(() => undefined)
        .then(() => release?.()),
    );
    await until(() => Promise.resolve(one.reads.status().liveWrites.length > 0));
    const others = new Promise<void>((resolve) => (release = resolve)).then(() => 'others');
    const token = one.tokenAfter('users').then(() => 'token');
    expect(await Promise.race([token, others])).to.equal('token');
    await database.cluster.primary.query(
      `SELECT pg_cancel_backend(pid) FROM pg_stat_activity
        WHERE query LIKE '%/* elsewhere */%' AND pid <> pg_backend_pid()`,
    );
    await elsewhere;
  });

  it('tells of an open transaction, and of its write once that is over', async () => {
    const transaction = await one.sequelize.transaction();
    const token = await one.reads.runOperation({}, async () => {
      await one.sequelize.query('INSERT INTO users DEFAULT VALUES', { transaction });
      return one.reads.token();
    });
    expect(new TokenCodec([SECRET]).read(token!)!.writes[0]).to.include({ open: true });
    await two.reads.runOperation({ token }, async () => {
      expect(two.reads.history()[0]).to.include({ table: 'users', state: 'uncommitted' });
      expect(await two.readsOf('users', 'posts')).to.deep.equal([HELD, FREE[1]]);
      await transaction.commit();
      expect(await two.count('users')).to.equal(await one.count('users', { useMaster: true }));
    });
    const passed = await two.passOn(token);
    expect(await one.readsWith(passed, 'users', 'posts')).to.deep.equal([HELD, FREE[1]]);
  });

  it('is not held up by a write that nobody saw the outcome of', async () => {
    const outcome = one.reads.runOperation({}, async () => {
      const slow = one.sequelize.query(
        'INSERT INTO users SELECT 1 FROM pg_sleep(300) /* nobody sees the end of this */',
      );
      const failed = slow.then(
        () => 'came through',
        () => 'lost',
      );
      await until(async () => {
        const killed = await database.cluster.primary.query(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE query LIKE 'INSERT%nobody sees the end of this%' AND state = 'active'`,
        );
        return killed.length > 0;
      });
      expect(await failed).to.equal('lost');
      return one.reads.token();
    });
    expect(await two.readsWith(await outcome, 'users')).to.deep.equal([HELD]);
  });

  it('needs a secret', async () => {
    const site = await Site.open(database, { sessionSecret: undefined });
    const refusals = [
      () => site.reads.token(),
      () => site.reads.runOperation({}, () => site.reads.token()),
      () => site.reads.runOperation({ token: 'x' }, () => undefined),
    ];
    for (const refused of refusals) {
      const error: unknown = await refused().catch((reason: unknown) => reason);
      expect(error).to.satisfy(isOptionsError);
      expect(error)
        .to.have.property('message')
        .that.matches(/sessionSecret of freshReads\(\)/);
    }
    const error: unknown = await one.reads
      .runOperation({ token: [5 as never] }, () => undefined)
      .catch((reason: unknown) => reason);
    expect(error).to.have.property('message', 'token must be a string that token() gave, got 5.');
    for (const [wrong, shown] of [
      [5, '5'],
      [{}, '{}'],
    ] as const) {
      const reason = await one.reads
        .runOperation({ token: wrong as never }, () => undefined)
        .catch((caught: unknown) => caught);
      expect(reason).to.have.property(
        'message',
        `runOperation: token must be what token() gave, or an array of that, got ${shown}.`,
      );
      expect(isOptionsError(reason)).to.equal(true);
    }
  });

  it('that was signed by nobody of ours is ignored, and counted', async () => {
    const site = await Site.open(database);
    const stranger = await Site.open(database, { sessionSecret: 'another' });
    const token = (await stranger.tokenAfter('users'))!;
    for (const bad of [token, '', 'x', 'ä'.repeat(4000), token.slice(1)]) {
      expect(await site.readsWith(bad, 'users')).to.deep.equal([FREE[0]]);
    }
    expect(site.reads.status().tokens).to.deep.equal({ accepted: 0, widened: 0, ignored: 5 });
    const rotating = await Site.open(database, { sessionSecret: ['newer', 'another'] });
    expect(await rotating.readsWith(token, 'users', 'posts')).to.deep.equal([HELD, FREE[1]]);
    // What it signs itself is signed with the newer one.
    const passed = (await rotating.passOn(token))!;
    expect(await stranger.readsWith(passed, 'users')).to.deep.equal([FREE[0]]);
    expect(stranger.reads.status().tokens.ignored).to.equal(1);
  });

  it('comes together with others', async () => {
    const tokens = [await one.tokenAfter('users'), await two.tokenAfter('many1'), 'rubbish'];
    const third = await Site.open(database);
    await third.reads.runOperation({ token: tokens as string[] }, async () => {
      expect(await third.readsOf('users', 'many1', 'posts')).to.deep.equal([HELD, HELD, FREE[1]]);
    });
    const both = await third.passOn(tokens as string[]);
    expect(await one.readsWith(both, 'users', 'many1', 'posts')).to.deep.equal([
      ...[HELD, HELD, FREE[1]],
    ]);
  });

  it('counts for the operation that a nested one is part of', async () => {
    const token = await one.tokenAfter('users');
    await two.reads.runOperation({}, async () => {
      expect(await two.readsOf('users')).to.deep.equal([FREE[0]]);
      await two.reads.runOperation({ token }, async () => {
        expect(await two.readsOf('users')).to.deep.equal([HELD]);
      });
      expect(await two.readsOf('users', 'posts')).to.deep.equal([HELD, FREE[1]]);
    });
  });

  it('is added to what the operation writes itself', async () => {
    const token = await one.tokenAfter('users');
    const passed = await two.reads.runOperation({ token }, async () => {
      await two.insert('posts');
      await two.insert('users');
      expect(await two.count('users')).to.equal(await one.count('users', { useMaster: true }));
      return two.reads.token();
    });
    expect(await one.readsWith(passed, 'users', 'posts', 'many1')).to.deep.equal([
      ...[HELD, HELD, FREE[1]],
    ]);
  });

  it('of more tables than it has room for means all of them', async () => {
    const some = await one.tokenAfter(...MANY.slice(1));
    expect(await two.readsWith(some, 'many1', 'posts')).to.deep.equal([HELD, FREE[1]]);
    const token = (await one.tokenAfter(...MANY))!;
    expect(token.length).to.be.below(120);
    expect(await two.readsWith(token, 'many1', 'posts')).to.deep.equal([
      ...['primary tables-unknown', 'primary tables-unknown'],
    ]);
  });

  it('of a process that has not read the catalog means every table', async () => {
    const early = await Site.open(database, { catalog: false });
    const token = await early.tokenAfter('users');
    expect(await two.readsWith(token, 'users', 'posts')).to.deep.equal([
      ...['primary tables-unknown', 'primary tables-unknown'],
    ]);
  });

  it('means every table to a process that has not read the catalog', async () => {
    const early = await Site.open(database, { catalog: false });
    const token = await one.tokenAfter('users');
    const [first] = await early.readsWith(token, 'posts');
    expect(first).to.equal('primary tables-unknown');
    await early.reads.ready();
    expect(await early.readsWith(token, 'users', 'posts')).to.deep.equal([HELD, FREE[1]]);
  });

  it('of a table that the receiver has not heard of yet means every table', async () => {
    const receiver = await Site.open(database);
    await one.sequelize.query('CREATE TABLE younger (id serial)');
    await one.reads.refreshCatalog();
    const token = await one.tokenAfter('younger');
    const before = await receiver.readsWith(token, 'posts');
    expect(before).to.deep.equal(['primary tables-unknown']);
    await receiver.reads.refreshCatalog();
    expect(await receiver.readsWith(token, 'younger', 'posts')).to.deep.equal([HELD, FREE[1]]);
    await one.sequelize.query('ALTER TABLE younger RENAME TO renamed');
    await receiver.reads.refreshCatalog();
    expect(await receiver.readsWith(token, 'renamed')).to.deep.equal(['primary tables-unknown']);
  });

  it('means the same table to processes with other search paths', async () => {
    const options = { connect: { dialectOptions: { options: '-c search_path=app' } } };
    const other = await Site.open(database, options);
    const token = await one.tokenAfter('users');
    expect(await other.readsWith(token, 'public.users', 'app.users')).to.deep.equal([
      ...[HELD, FREE[1]],
    ]);
    const back = await other.tokenAfter('users');
    const receiver = await Site.open(database);
    expect(await receiver.readsWith(back, 'app.users', 'users')).to.deep.equal([HELD, FREE[1]]);
  });

  it('tells of writes that lost their operation while it ran, not of older ones', async () => {
    const site = await Site.open(database);
    const receiver = await Site.open(database);
    await site.insert('posts');
    const token = await site.reads.runOperation({}, async () => {
      let done: (() => void) | undefined;
      const lost = new Promise<void>((resolve) => (done = resolve));
      outside.push(() => site.insert('users').then(() => done?.()));
      await lost;
      return site.reads.token();
    });
    expect(await receiver.readsWith(token, 'users', 'posts')).to.deep.equal([HELD, FREE[1]]);
    const open = await site.reads.runOperation({}, async () => {
      outside.push(() => site.sequelize.query('INSERT INTO many2 SELECT 1 FROM pg_sleep(0.5)'));
      await until(() =>
        Promise.resolve(site.reads.status().liveWrites.some(({ table }) => table === 'many2')),
      );
      return site.reads.token();
    });
    expect(await receiver.readsWith(open, 'many2', 'posts')).to.deep.equal([HELD, FREE[1]]);
    expect(site.reads.status().outsideOperation.writes).to.equal(3);
  });

  it('holds back a read-only transaction as a whole', async () => {
    const receiver = await Site.open(database);
    const seenWith = (given: string | undefined) =>
      receiver.reads.runOperation({ token: given }, () =>
        receiver.sequelize.transaction({ readOnly: true } as object, (transaction) =>
          receiver.count('posts', { transaction }),
        ),
      );
    const token = await one.tokenAfter('posts');
    const total = await one.count('posts', { useMaster: true });
    expect(await seenWith(token)).to.equal(total);
    expect(await seenWith(undefined)).to.equal(0);
  });

  /** Runs what is pushed with no operation around it, as a queue's worker does. */
  const outside: { push(job: () => Promise<unknown>): void } = (() => {
    const jobs: (() => Promise<unknown>)[] = [];
    let timer: NodeJS.Timeout | undefined;
    before(() => {
      timer = setInterval(() => void jobs.shift()?.(), 1);
    });
    after(() => clearInterval(timer));
    return { push: (job) => void jobs.push(job) };
  })();
});
