import { EventEmitter, once } from 'node:events';
import { Readable } from 'node:stream';
import { expect } from 'chai';
import { isOptionsError } from '../../src';
import { createDatabase, type TestDatabase } from '../support/shared-cluster';
import { Site } from '../sessions/support';

const HELD = ['primary table-written'];

/** Replicas are paused: whoever has lost its operation reads the past, or has to be on the safe side. */
describe('the operation of code that runs later or elsewhere', () => {
  let database: TestDatabase;
  let site: Site;
  const timers: NodeJS.Timeout[] = [];

  before(async () => {
    database = await createDatabase(
      'CREATE TABLE users (id serial)',
      'CREATE TABLE posts (id serial)',
    );
    await database.pauseReplicas();
  });
  beforeEach(async () => {
    site = await Site.open(database);
  });
  afterEach(async () => {
    for (const timer of timers.splice(0)) clearInterval(timer);
    await site.sequelize.close();
  });
  after(() => database.close());

  /** Runs `how` in an operation that has written, with a read that has to be held back. */
  async function reads(how: (read: () => Promise<string[]>) => Promise<string[]>) {
    return site.reads.runOperation({ name: 'op' }, async () => {
      await site.insert('users');
      const lines = await how(() => site.readsOf('users'));
      expect(site.log.all.at(-1)!.operation?.name).to.equal('op');
      return lines;
    });
  }

  const ways: Record<string, (read: () => Promise<string[]>) => Promise<string[]>> = {
    setTimeout: (read) => new Promise((resolve) => setTimeout(() => resolve(read()), 1)),
    setImmediate: (read) => new Promise((resolve) => setImmediate(() => resolve(read()))),
    setInterval: (read) =>
      new Promise((resolve) => {
        const timer = setInterval(() => {
          clearInterval(timer);
          resolve(read());
        }, 1);
      }),
    'process.nextTick': (read) => new Promise((resolve) => process.nextTick(() => resolve(read()))),
    queueMicrotask: (read) => new Promise((resolve) => queueMicrotask(() => resolve(read()))),
    'an async iterator of a stream': async (read) => {
      const lines: string[] = [];
      for await (const chunk of Readable.from(['a']))
        if (chunk === 'a') lines.push(...(await read()));
      return lines;
    },
    'a listener, called in the operation': (read) =>
      new Promise((resolve) => {
        const emitter = new EventEmitter();
        emitter.on('event', () => resolve(read()));
        emitter.emit('event');
      }),
    'once of an emitter': async (read) => {
      const emitter = new EventEmitter();
      setImmediate(() => emitter.emit('event'));
      await once(emitter, 'event');
      return read();
    },
  };
  for (const [name, way] of Object.entries(ways)) {
    it(`is kept by ${name}`, async () => {
      expect(await reads(way)).to.deep.equal(HELD);
      expect(site.reads.status().outsideOperation).to.deep.equal({ reads: 0, writes: 0 });
    });
  }

  /** Calls what is queued from a loop that was there before any operation. */
  function batcher() {
    const jobs: (() => void)[] = [];
    const timer = setInterval(() => {
      for (const job of jobs.splice(0)) job();
    }, 1);
    timers.push(timer);
    return { push: (job: () => void) => void jobs.push(job) };
  }

  it('is lost in a loop of others, and then the process history counts', async () => {
    const queue = batcher();
    await site.reads.runOperation({ name: 'op' }, async () => {
      await site.insert('users');
      const lines = await new Promise<string[]>((resolve, reject) =>
        queue.push(() => void site.readsOf('users', 'posts').then(resolve, reject)),
      );
      expect(lines).to.deep.equal([...HELD, 'replica tables-untouched']);
      expect(site.log.all.at(-1)!.operation).to.equal(undefined);
    });
    expect(site.reads.status().outsideOperation).to.deep.equal({ reads: 2, writes: 0 });
  });

  it('is lost in a loop of others, and then outsideOperation may send it to the primary', async () => {
    const careful = await Site.open(database, { outsideOperation: 'primary' });
    expect(await careful.readsOf('posts')).to.deep.equal(['primary asked-primary']);
    expect(careful.reads.status().outsideOperation).to.deep.equal({ reads: 1, writes: 0 });
    await careful.sequelize.close();
  });

  it('is given to a callback by bindOperation', async () => {
    const queue = batcher();
    const lines = await reads(
      (read) =>
        new Promise((resolve) => queue.push(site.reads.bindOperation(() => resolve(read())))),
    );
    expect(lines).to.deep.equal(HELD);
    expect(site.reads.status().outsideOperation).to.deep.equal({ reads: 0, writes: 0 });
  });

  it('bindOperation keeps this, arguments, result and wishes, and the writes of the callback', async () => {
    const { bound, history } = await site.reads.runOperation({}, () =>
      site.reads.usePrimary(async () => ({
        bound: site.reads.bindOperation(function (this: { table: string }, suffix: string) {
          return `${this.table}${suffix}`;
        }),
        history: site.reads.bindOperation(async () => {
          await site.insert('posts');
          return site.reads.history().map(({ table }) => table);
        }),
      })),
    );
    expect(bound.call({ table: 'users' }, '!')).to.equal('users!');
    expect(await history()).to.deep.equal(['posts']);
    expect(site.reads.history()).to.deep.equal([]);
    const none = site.reads.bindOperation(() => site.reads.history());
    await site.reads.runOperation({}, async () => {
      await site.insert('users');
      expect(none()).to.deep.equal([]);
    });
  });

  it('bindOperation refuses what is no function', () => {
    expect(() => site.reads.bindOperation(5 as never))
      .to.throw('bindOperation(fn): fn must be a function, got 5.')
      .that.satisfies(isOptionsError);
  });
});
