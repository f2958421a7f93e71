import { expect } from 'chai';
import { TimeoutError } from 'sequelize-pool';
import { isOptionsError, isReplicasUnavailableError } from '../../src/errors';
import {
  NodePools,
  NoReplicaLeft,
  type Admission,
  type NodePoolsOptions,
  type NodeSpec,
  type ReadRequest,
} from '../../src/replicas';
import { FakeNode, FakeTimers, POOL, failure, settle, type FakeConnection } from './fakes';

const BOTH = ['replica1', 'replica2'];

describe('NodePools', () => {
  let timers: FakeTimers;
  let primary: FakeNode;
  let first: FakeNode;
  let second: FakeNode;
  let pools: NodePools<FakeConnection>;
  let lost: string[];
  let changes: string[];
  let inUse: (node: string) => void;
  let admission: (node: string, connection: FakeConnection) => Promise<Admission>;

  function build(
    options: NodePoolsOptions = {},
    change: Partial<NodeSpec<FakeConnection>> = {},
  ): void {
    pools = new NodePools<FakeConnection>({
      primary: primary.spec(change),
      replicas: [first.spec(change), second.spec(change)],
      hooks: {
        admit: (node, connection) => admission(node, connection),
        lost: (node) => lost.push(node),
        inUse: (node) => inUse(node),
      },
      options,
      timers,
      random: () => 0,
    });
    pools.onStateChange(({ node, from, to, because }) =>
      changes.push(`${node} ${from} > ${to} ${because}`),
    );
  }

  beforeEach(() => {
    timers = new FakeTimers();
    primary = new FakeNode('primary');
    first = new FakeNode('replica1');
    second = new FakeNode('replica2');
    lost = [];
    changes = [];
    inUse = () => undefined;
    admission = () => Promise.resolve(true);
    build();
  });

  afterEach(async () => {
    for (const node of [primary, first, second]) {
      node.thaw();
      for (const connection of node.opened) pools.release(connection);
    }
    await pools.drain();
    await pools.destroyAllNow();
    await settle();
    expect([primary, first, second].flatMap((node) => node.open)).to.deep.equal([]);
  });

  async function read(
    eligible: readonly string[] = BOTH,
    recheck?: (node: string) => boolean,
  ): Promise<FakeConnection> {
    const request: ReadRequest<FakeConnection> = { eligible, recheck };
    const connection = await pools.acquireRead(request);
    expect(request.node).to.equal(connection.node);
    return connection;
  }

  async function tryRead(eligible: readonly string[] = BOTH): Promise<string> {
    return outcomeOf(pools.acquireRead({ eligible }));
  }

  describe('choosing', () => {
    it('opens nothing until it is asked, and then one connection', async () => {
      await settle();
      expect([primary.connects, first.connects, second.connects]).to.deep.equal([0, 0, 0]);
      await read();
      expect(primary.connects + first.connects + second.connects).to.equal(1);
    });

    it('spreads over the eligible ones by load and takes no other', async () => {
      const nodes = [await read(), await read(), await read(['replica2'])].map(({ node }) => node);
      expect(nodes).to.deep.equal(['replica1', 'replica2', 'replica2']);
      expect((await read()).node).to.equal('replica1');
    });

    it('uses a connection again', async () => {
      const connection = await read(['replica1']);
      pools.release(connection);
      expect(await read(['replica1'])).to.equal(connection);
      expect(first.connects).to.equal(1);
    });

    it('has at once what lies ready, unless somebody waits for it or it is not good any more', async () => {
      const request: ReadRequest<FakeConnection> = { eligible: ['replica1'] };
      const connections = await Promise.all([1, 2, 3].map(() => read(['replica1'])));
      const queued = pools.acquireRead(request);
      expect(request.node).to.equal(undefined);
      for (const connection of connections) pools.release(connection);
      const atOnce: ReadRequest<FakeConnection> = { eligible: ['replica1'] };
      const acquiring = pools.acquireRead(atOnce);
      expect(atOnce.node).to.equal('replica1');
      expect(await acquiring).to.equal(connections[2]);
      expect(await queued).to.equal(connections[0]);
      expect(request.node).to.equal('replica1');
      connections[1]!.good = false;
      const opening = pools.acquireRead(atOnce);
      expect(atOnce.node).to.equal(undefined);
      expect(await outcomeOf(opening)).to.match(/replica1/);
    });

    it('sends more to the heavier', async () => {
      pools.add(new FakeNode('small').spec({ weight: 1 }));
      pools.add(new FakeNode('big').spec({ weight: 2 }));
      const taken = [];
      for (let i = 0; i < 3; i++) taken.push(await read(['small', 'big']));
      const nodes = taken.map(({ node }) => node).sort();
      for (const connection of taken) pools.release(connection);
      expect(nodes).to.deep.equal(['big', 'big', 'small']);
    });

    it('asks again about the connection in hand, after queueing', async () => {
      const held = await Promise.all([1, 2, 3].map(() => read(['replica1'])));
      let fresh = true;
      const waiting = read(BOTH, (node) => node === 'replica2' || fresh);
      const queued = pools.acquireRead({ eligible: ['replica1'], recheck: () => fresh });
      expect((await waiting).node).to.equal('replica2');
      fresh = false;
      pools.release(held[0]!);
      expect(await outcomeOf(queued)).to.equal('refused replica1:not-eligible');
      expect(pools.replicas()[0]).to.include({ using: 2, waiting: 0 });
    });

    it('gives the connection back when asking throws', async () => {
      const refused = await read(['replica1'], () => {
        throw new Error('asked');
      }).catch((error: unknown) => error);
      expect(refused).to.have.property('message', 'asked');
      expect(pools.replicas()[0]).to.include({ using: 0, size: 1 });
    });

    it('says when no node is known by the name', async () => {
      expect(await tryRead(['replica9'])).to.equal('refused replica9:unknown-node');
      expect(await tryRead([])).to.equal('refused');
    });

    it('refuses two nodes of one name, and a weight of nothing', () => {
      expect(() => pools.add(first.spec()))
        .to.throw(
          'two nodes have the name "replica1": give each entry of replication.read a name of its own.',
        )
        .that.satisfies(isOptionsError);
      expect(() => pools.add(new FakeNode('primary').spec())).to.throw('two nodes have the name');
      expect(() => pools.add(new FakeNode('x').spec({ weight: 0 }))).to.throw(
        'the weight of node "x" must be a number above zero, got 0.',
      );
    });
  });

  describe('a dead node', () => {
    it('costs one failed connect, however many read at once, and no read fails', async () => {
      first.mode = 'refuses';
      const nodes = await Promise.all(
        Array.from({ length: 3 }, async () => {
          const connection = await read();
          pools.release(connection);
          return connection.node;
        }),
      );
      expect(nodes).to.deep.equal(['replica2', 'replica2', 'replica2']);
      expect(first.connects).to.equal(1);
      for (let i = 0; i < 10; i++) pools.release(await read());
      expect(first.connects).to.equal(1);
      expect(changes).to.deep.equal(['replica1 up > down connect-failed']);
      expect(pools.usable('replica1')).to.equal(false);
    });

    it('never fails the reader of another node (a slow connect beside a refused one)', async () => {
      let open = (): void => undefined;
      first.gate = new Promise((resolve) => (open = resolve));
      second.mode = 'refuses';
      const slow = read();
      const beside = read();
      await settle();
      open();
      expect((await slow).node).to.equal('replica1');
      expect((await beside).node).to.equal('replica1');
    });

    it('moves all who queue for it on to the next node', async () => {
      const held = await Promise.all(BOTH.flatMap((node) => [1, 2, 3].map(() => read([node]))));
      const queued = [1, 2, 3, 4].map(() => read());
      expect(pools.replicas().map(({ waiting }) => waiting)).to.deep.equal([2, 2]);
      first.mode = 'refuses';
      for (const connection of held) {
        if (connection.node === 'replica1') {
          connection.good = false;
          void pools.destroy(connection);
        } else {
          pools.release(connection);
        }
      }
      for (const reader of queued) {
        const connection = await reader;
        expect(connection.node).to.equal('replica2');
        pools.release(connection);
      }
      expect(first.connects).to.equal(4);
    });

    it('comes back by itself, after one connect', async () => {
      first.mode = 'refuses';
      expect(await tryRead(['replica1'])).to.equal('refused replica1:connect-failed');
      await timers.pass(100);
      expect(first.connects).to.equal(2);
      expect(await tryRead(['replica1'])).to.equal('refused replica1:connect-failed');
      expect(first.connects).to.equal(2);
      first.mode = 'up';
      await timers.pass(200);
      expect(changes.at(-1)).to.equal('replica1 suspect > up answers');
      expect((await read(['replica1'])).node).to.equal('replica1');
    });

    it('a server that is full keeps serving on the connections it has', async () => {
      const held = await read(['replica1']);
      first.mode = 'full';
      expect(await tryRead(['replica1'])).to.equal('refused replica1:connect-failed');
      expect(pools.usable('replica1')).to.equal(true);
      pools.release(held);
      expect(await read(['replica1'])).to.equal(held);
      expect(held.closed).to.equal('no');
    });

    it('a lost connection puts the node aside until one connect succeeds', async () => {
      const [held, idle] = [await read(['replica1']), await read(['replica1'])];
      pools.release(idle);
      held.good = false;
      await pools.destroy(held);
      expect(lost).to.deep.equal(['replica1']);
      expect(changes).to.deep.equal(['replica1 up > suspect connection-lost']);
      await settle();
      expect(changes.at(-1)).to.equal('replica1 suspect > up answers');
      // What was opened before the loss is of the time before it.
      expect(idle.closed).to.equal('politely');
      expect(pools.release(held)).to.equal(true);
    });

    it('a connection in use when another was lost is not used again', async () => {
      const [held, busy] = [await read(['replica1']), await read(['replica1'])];
      held.good = false;
      await pools.destroy(held);
      await settle();
      pools.release(busy);
      await settle();
      expect(busy.closed).to.equal('politely');
    });

    it('closing a good connection is no loss', async () => {
      await pools.destroy(await read(['replica1']));
      expect(lost).to.deep.equal([]);
      expect(changes).to.deep.equal([]);
    });

    it('hears of failures from those who read', async () => {
      pools.noteFailure('replica1', failure('42P01'));
      pools.noteFailure('primary', failure('57P01'));
      expect(changes).to.deep.equal([]);
      pools.noteFailure('replica1', failure('57P01'));
      expect(changes).to.deep.equal(['replica1 up > suspect connection-lost']);
      expect(lost).to.deep.equal(['replica1']);
      await settle();
    });
  });

  describe('a frozen node', () => {
    it('costs a bounded wait, and its late connections are closed', async () => {
      first.mode = 'frozen';
      const reader = read();
      await timers.pass(2999);
      expect(changes).to.deep.equal([]);
      await timers.pass(1);
      expect((await reader).node).to.equal('replica2');
      expect(changes).to.deep.equal(['replica1 up > down no-answer']);
      expect(first.connects).to.equal(1);
      first.thaw();
      await settle();
      expect(first.opened.map(({ closed }) => closed)).to.deep.equal(['politely']);
    });

    it('is found out by one connect while a read waits for it, and the read is cut loose', async () => {
      const [stuck, idle] = [await read(['replica1']), await read(['replica1'])];
      pools.release(idle);
      first.mode = 'frozen';
      await timers.pass(1999);
      expect(first.connects).to.equal(2);
      await timers.pass(1);
      expect(first.connects).to.equal(3);
      // Meanwhile the others are preferred.
      expect((await read()).node).to.equal('replica2');
      await timers.pass(3000);
      expect(stuck.closed).to.equal('by force');
      expect(idle.closed).to.equal('by force');
      expect(changes).to.deep.equal(['replica1 up > down no-answer']);
      expect(lost).to.include('replica1');
    });

    it('is not seen in a slow statement: the connect succeeds and the statement goes on', async () => {
      const slow = await read(['replica1']);
      await timers.pass(2000);
      expect(first.connects).to.equal(2);
      expect(slow.closed).to.equal('no');
      expect(changes).to.deep.equal([]);
      expect(first.open).to.deep.equal([slow]);
    });

    it('is not asked for while others on the node get their answers', async () => {
      await read(['replica1']);
      for (let second = 0; second < 10; second++) {
        pools.noteSuccess('replica1');
        await timers.pass(1000);
      }
      expect(first.connects).to.equal(1);
    });

    it('is asked again when a statement ran out of time', async () => {
      pools.noteFailure('replica1', new Error('Query read timeout'));
      await settle();
      expect(first.connects).to.equal(1);
      expect(changes).to.deep.equal([]);
    });

    it('does not keep destroyAllNow waiting once for each connection', async () => {
      for (const connection of await Promise.all([1, 2, 3].map(() => read(['replica1'])))) {
        pools.release(connection);
      }
      first.mode = 'frozen';
      let done = false;
      void pools.destroyAllNow().then(() => (done = true));
      await timers.pass(3000);
      expect(done).to.equal(true);
      expect(first.opened.map(({ closed }) => closed)).to.deep.equal([
        'by force',
        'by force',
        'by force',
      ]);
    });
  });

  describe('closing', () => {
    it('leaves idle connections to a frozen node soon', async () => {
      pools.release(await read(['replica1']));
      pools.release(await pools.acquireWrite());
      first.mode = primary.mode = 'frozen';
      await pools.drain();
      let done = false;
      void pools.destroyAllNow().then(() => (done = true));
      await timers.pass(250);
      expect(done).to.equal(true);
      expect([first, primary].map(({ opened }) => opened[0]?.closed)).to.deep.equal([
        'by force',
        'by force',
      ]);
      expect(timers.pending).to.equal(0);
    });

    it('finds out soon that a node is frozen under a read, and cuts it loose', async () => {
      const busy = await read(['replica1']);
      first.mode = 'frozen';
      void pools.drain();
      await timers.pass(1499);
      expect(busy.closed).to.equal('no');
      await timers.pass(1);
      expect(busy.closed).to.equal('by force');
    });

    it('leaves a slow read on a healthy node its time', async () => {
      const busy = await read(['replica1']);
      void pools.drain();
      await timers.pass(20_000);
      expect(busy.closed).to.equal('no');
      pools.release(busy);
    });
  });

  describe('admission', () => {
    it('is asked of every connection before it serves', async () => {
      const asked: string[] = [];
      admission = (node, { number }) => {
        asked.push(`${node} ${number}`);
        return Promise.resolve(true);
      };
      await Promise.all([read(['replica1']), read(['replica1']), pools.acquireWrite()]);
      expect(asked.sort()).to.deep.equal(['primary 1', 'replica1 1', 'replica1 2']);
    });

    it('refused, closes the connection and keeps the node out until it is granted', async () => {
      admission = (node) => Promise.resolve(node !== 'replica1');
      expect(await tryRead(['replica1'])).to.equal('refused replica1:not-admitted');
      await settle();
      expect(first.opened.map(({ closed }) => closed)).to.deep.equal(['politely']);
      admission = () => Promise.resolve(true);
      await timers.pass(100);
      expect((await read(['replica1'])).node).to.equal('replica1');
    });

    it('refused, leaves no reader with a connection freed meanwhile', async () => {
      const held = await read(['replica1']);
      admission = () => Promise.resolve(false);
      pools.onStateChange(() => pools.release(held));
      expect(await tryRead(['replica1'])).to.equal('refused replica1:not-admitted');
      expect(pools.replicas()[0]).to.include({ using: 0, waiting: 0 });
    });

    it('comes too late for a connection that ended meanwhile', async () => {
      admission = (_node, connection) => {
        connection.good = false;
        return Promise.resolve(true);
      };
      expect(await tryRead(['replica1'])).to.equal('refused replica1:connect-failed');
    });

    it('tells a replica that is the primary itself', async () => {
      admission = (node) => Promise.resolve(node === 'replica1' ? 'primary' : true);
      expect(await tryRead(['replica1'])).to.equal('refused replica1:is-primary');
      expect((await read()).node).to.equal('replica2');
    });

    it('counts as no answer when it takes too long', async () => {
      admission = () => new Promise(() => undefined);
      const reader = tryRead(['replica1']);
      await timers.pass(3000);
      expect(await reader).to.equal('refused replica1:no-answer');
      expect(first.opened.map(({ closed }) => closed)).to.deep.equal(['politely']);
      first.opened.length = 0;
    });

    it('refused to the primary, fails the acquire', async () => {
      admission = (node) => Promise.resolve(node !== 'primary');
      const refused = await pools.acquireWrite().catch((error: unknown) => error);
      expect(refused).to.have.property(
        'message',
        'primary: the connection was refused, since the node behind it is not the primary',
      );
      await settle();
      expect(primary.open).to.deep.equal([]);
    });
  });

  describe('the primary', () => {
    it('has a pool for reads beside the one for transactions', async () => {
      await Promise.all([1, 2, 3].map(() => pools.acquireWrite()));
      const reads = await Promise.all([1, 2, 3].map(() => pools.acquirePrimaryRead()));
      expect(reads.map((connection) => pools.nodeOf(connection))).to.deep.equal([
        'primary',
        'primary',
        'primary',
      ]);
      expect(primary.connects).to.equal(6);
    });

    it('passes its own errors on', async () => {
      primary.mode = 'refuses';
      const refused = await pools.acquireWrite().catch((error: unknown) => error);
      expect(refused).to.have.property('code', 'ECONNREFUSED');
    });

    it('turns reads away beyond maxPrimaryFallback, and only those', async () => {
      build({ maxPrimaryFallback: 2 });
      const taken = [
        await pools.acquirePrimaryRead({ fallback: true }),
        await pools.acquirePrimaryRead({ fallback: true }),
      ];
      const refused = await pools
        .acquirePrimaryRead({ fallback: true })
        .catch((error: unknown) => error);
      expect(refused).to.satisfy(isReplicasUnavailableError);
      expect(refused).to.have.property(
        'message',
        'no replica is fit, and the primary is already serving 2 reads in their place ' +
          '(maxPrimaryFallback): this one was turned away to keep the primary alive.',
      );
      await pools.acquirePrimaryRead();
      pools.release(taken[0]!);
      await pools.destroy(taken[1]!);
      pools.release(taken[1]!);
      expect(pools.fallbacks).to.equal(0);
      await pools.acquirePrimaryRead({ fallback: true });
      expect(pools.fallbacks).to.equal(1);
    });

    it('gives the place back when its connect fails', async () => {
      build({ maxPrimaryFallback: 1 });
      primary.mode = 'refuses';
      await pools.acquirePrimaryRead({ fallback: true }).catch(() => undefined);
      expect(pools.fallbacks).to.equal(0);
    });

    it('loses all it had with one lost connection', async () => {
      const [write, idle] = [await pools.acquireWrite(), await pools.acquirePrimaryRead()];
      pools.release(idle);
      write.good = false;
      await pools.destroy(write);
      await settle();
      expect(lost).to.deep.equal(['primary']);
      expect(idle.closed).to.equal('politely');
    });
  });

  describe('its pools', () => {
    it('keep the acquire time-out', async () => {
      build({}, { pool: { ...POOL, max: 1, acquire: 5 } });
      await read(['replica1']);
      const refused = await tryRead(['replica1']).catch((error: unknown) => error);
      expect(refused).to.be.instanceOf(TimeoutError);
    });

    it('keep maxUses', async () => {
      build({}, { pool: { ...POOL, maxUses: 1 } });
      pools.release(await read(['replica1']));
      pools.release(await read(['replica1']));
      expect(first.connects).to.equal(2);
    });

    it('are warmed up to their min, whatever fails', async () => {
      build({}, { pool: { ...POOL, min: 2 } });
      second.mode = 'refuses';
      await pools.warmUp();
      expect(first.open).to.have.length(2);
      expect(second.connects).to.equal(1);
    });

    it('tell that a replica is in use, with the first read and then once a second', async () => {
      const told: string[] = [];
      inUse = (node) => told.push(node);
      const use = async () => pools.release(await read(['replica1']));
      await use();
      await use();
      expect(told).to.deep.equal(['replica1']);
      await timers.pass(999);
      await use();
      expect(told).to.have.length(1);
      await timers.pass(1);
      await use();
      expect(told).to.have.length(2);
      expect(timers.pending, 'of the pools alone').to.be.at.most(1);
    });

    it('know their own connections', async () => {
      const stranger: FakeConnection = { node: 'x', number: 0, good: true, closed: 'no' };
      expect(pools.release(stranger)).to.equal(false);
      expect(await pools.destroy(stranger)).to.equal(false);
      expect(pools.nodeOf(stranger)).to.equal(undefined);
      expect(pools.nodeOf(await read(['replica2']))).to.equal('replica2');
    });

    it('come and go while running', async () => {
      const third = new FakeNode('replica3');
      pools.add(third.spec());
      const busy = await read(['replica3']);
      let gone = false;
      const removal = pools.remove('replica3').then(() => (gone = true));
      expect(await tryRead(['replica3'])).to.equal('refused replica3:unknown-node');
      await settle();
      expect(gone).to.equal(false);
      expect(busy.closed).to.equal('no');
      pools.release(busy);
      await removal;
      expect(third.open).to.deep.equal([]);
      await pools.remove('replica3');
    });

    it('stop their trials when drained', async () => {
      first.mode = 'refuses';
      await tryRead(['replica1']);
      await pools.drain();
      await timers.pass(60_000);
      expect(first.connects).to.equal(1);
      expect(await tryRead(['replica1'])).to.equal('refused replica1:unknown-node');
      expect(timers.pending).to.equal(0);
    });
  });
});

async function outcomeOf(acquiring: Promise<FakeConnection>): Promise<string> {
  try {
    return `acquired ${(await acquiring).node}`;
  } catch (error) {
    if (!(error instanceof NoReplicaLeft)) throw error;
    const refusals = error.refusals.map(({ node, because }) => `${node}:${because}`);
    return ['refused', ...refusals].join(' ');
  }
}
