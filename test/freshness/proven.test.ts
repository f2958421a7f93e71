import { expect } from 'chai';
import { now } from '../../src/clock';
import { Proven, type ProvenOptions } from '../../src/freshness';
import { startCluster, type Cluster, type ClusterNode } from '../../src/testing';
import { until } from '../../src/testing/poll';
import { TestConnection, TestEnvironment, type Login } from './environment';

/** Far longer than anything here takes, far shorter than what PostgreSQL does by itself. */
const DEADLINE_MS = 8000;
const PAGE = 8192n;

describe('Proven, on real nodes', () => {
  let cluster: Cluster;
  let app: TestConnection;
  let environment: TestEnvironment;
  let policy: Proven;
  const ordinary: Login = { user: 'ordinary', password: 'secret' };

  before(async () => {
    cluster = await startCluster();
    for (const sql of [
      `CREATE ROLE ordinary LOGIN PASSWORD 'secret'`,
      'CREATE TABLE notes (id int)',
      'GRANT ALL ON notes TO ordinary',
    ]) {
      await cluster.primary.query(sql);
    }
    await cluster.waitForReplicas();
    app = await TestConnection.open(cluster.primary, ordinary);
  });

  after(async () => {
    await app.end();
    await cluster.stop();
  });

  beforeEach(() => begin());

  afterEach(async () => {
    await policy.close();
    expect(environment.open, 'open probe connections').to.equal(0);
    for (const replica of cluster.replicas) await replica.resume();
  });

  function begin(options: Partial<ProvenOptions> = {}): void {
    environment = new TestEnvironment(cluster);
    environment.login = ordinary;
    policy = new Proven(environment, { probeIntervalMs: 10, heartbeat: undefined, ...options });
  }

  async function write() {
    await app.query('INSERT INTO notes VALUES (1)');
    const mark = environment.commit();
    policy.committed(mark);
    return mark;
  }

  const shown = (node: string, mark: { seq: number; at: number }) =>
    policy.waitUntilShown([node], mark, DEADLINE_MS);

  /** Resolves once `node` was asked as often again. */
  async function asked(node: string, times: number): Promise<void> {
    const goal = environment.asked(node) + times;
    await until(`${node} was asked ${times} times`, () => environment.asked(node) >= goal);
  }

  it('expires a write replica by replica', async () => {
    const [first, second] = cluster.replicas;
    await second!.pause();
    const mark = await write();
    expect(policy.shows('replica1', mark)).to.equal(false);
    expect(await shown('replica1', mark)).to.equal(true);
    await asked('replica2', 3);
    expect(policy.shows('replica2', mark)).to.equal(false);
    expect(policy.expired(mark)).to.equal(false);
    await second!.resume();
    expect(await shown('replica2', mark)).to.equal(true);
    expect(policy.expired(mark)).to.equal(true);
    expect(await first!.query('SELECT FROM notes LIMIT 1')).to.have.length(1);
  });

  it('serves from the start, reads with live writes excepted', async () => {
    const mark = { seq: 1, at: now() };
    expect(policy.serves('replica1')).to.equal(true);
    expect(policy.shows('replica1', mark)).to.equal(false);
    expect(policy.shows('primary', mark)).to.equal(true);
    expect(policy.lag('replica1')).to.equal(undefined);
    const connection = await TestConnection.open(cluster.replicas[0]!, ordinary);
    expect(await policy.admit('replica1', connection)).to.equal(true);
    await connection.end();
    await environment.rest();
    expect(policy.serves('replica1')).to.equal(true);
    expect(policy.shows('replica1', mark)).to.equal(false);
    expect(policy.lag('replica1')?.bytes, 'measured once, without a write').to.equal(0n);
    expect(environment.asked('primary')).to.be.at.most(3);
    expect(environment.warnings).to.deep.equal([]);
  });

  it('asks nobody at rest, and once for a write', async () => {
    await write();
    await environment.rest();
    const before = environment.asked('primary');
    const mark = await write();
    expect(await shown('replica1', mark)).to.equal(true);
    await environment.rest();
    // A second time when WAL behind the commit was not flushed yet.
    expect(environment.asked('primary') - before).to.be.within(1, 3);
    expect(environment.opened.filter((node) => node === 'primary')).to.have.length(1);
  });

  it('asks the primary at most once an interval, however many commits there are', async () => {
    await write();
    await environment.rest();
    const before = environment.asked('primary');
    const start = now();
    let mark = environment.commit();
    while (now() - start < 300) {
      mark = environment.commit();
      policy.committed(mark);
      await new Promise((resolve) => setImmediate(resolve));
    }
    const questions = environment.asked('primary') - before;
    expect(questions).to.be.at.most(Math.ceil((now() - start) / 10) + 1);
    expect(questions).to.be.at.least(2);
    expect(await shown('replica1', mark)).to.equal(true);
  });

  it('takes a replica out of the reckoning for the primary: nobody left, no samples', async () => {
    environment = new TestEnvironment(cluster);
    policy = new Proven(environment, { probeIntervalMs: 10, heartbeat: undefined });
    environment.login = { user: 'ordinary', password: 'wrong' };
    const replicas = environment.replicas.map((name) => environment.servers.get(name)!);
    const unreachable = Object.assign(Object.create(cluster.primary) as ClusterNode, { port: 1 });
    for (const name of environment.replicas) environment.servers.set(name, unreachable);
    environment.login = ordinary;
    policy.start();
    await until(
      'both are known to be down',
      () => !environment.replicas.some((n) => policy.serves(n)),
    );
    await until('the primary has answered', () => environment.asked('primary') === 1);
    let mark = await write();
    for (let i = 0; i < 20; i++) mark = await write();
    expect(environment.asked('primary')).to.equal(1);
    expect(policy.expired(mark), 'an empty list has not caught up').to.equal(false);
    environment.replicas.forEach((name, i) => environment.servers.set(name, replicas[i]!));
    expect(await shown('replica1', mark)).to.equal(true);
  });

  it('sees a commit whose record ends with its page', async () => {
    await environment.rest();
    await fillPage();
    const mark = environment.commit();
    policy.committed(mark);
    expect(await shown('replica1', mark)).to.equal(true);
    expect(await shown('replica2', mark)).to.equal(true);
    expect(flushes(), 'without writing anything').to.equal(0);
  });

  it('gets WAL flushed that an open transaction holds up', async () => {
    await write();
    await environment.rest();
    const other = await TestConnection.open(cluster.primary);
    await other.query('BEGIN');
    await app.query('INSERT INTO notes VALUES (1)');
    await other.query('INSERT INTO notes VALUES (2)');
    const mark = environment.commit();
    policy.committed(mark);
    const samples = environment.asked('primary');
    expect(await shown('replica1', mark)).to.equal(true);
    await environment.rest();
    expect(flushes()).to.equal(1);
    expect(environment.asked('primary') - samples, 'one sample, one flush').to.equal(2);
    await other.query('ROLLBACK');
    await other.end();
  });

  it('waits, gives up in time, and ends all waiting with close()', async () => {
    for (const replica of cluster.replicas) await replica.pause();
    const mark = await write();
    expect(await policy.waitUntilShown(environment.replicas, mark, 30)).to.equal(false);
    const waiting = policy.waitUntilShown(environment.replicas, mark, 60_000);
    await cluster.replicas[1]!.resume();
    expect(await waiting).to.equal(true);
    expect(policy.shows('replica1', mark)).to.equal(false);
    expect(policy.shows('replica2', mark)).to.equal(true);
    const cut = policy.waitUntilShown(['replica1'], mark, 60_000);
    await policy.close();
    expect(await cut).to.equal(false);
  });

  it('asks out of turn while somebody waits', async () => {
    await policy.close();
    begin({ probeIntervalMs: 10 * DEADLINE_MS });
    // The second has to be sampled although the first just was.
    expect(await shown('replica1', await write())).to.equal(true);
    expect(await shown('replica1', await write())).to.equal(true);
  });

  it('finds out at rest how far replicas are, out of turn, and knows when waiting is in vain', async () => {
    await policy.close();
    begin({ probeIntervalMs: 10 * DEADLINE_MS });
    const known = (timeoutMs = DEADLINE_MS) =>
      policy.waitUntilAsOf(environment.replicas, now(), timeoutMs);
    expect(await known()).to.equal(true);
    expect(await known()).to.equal(true);
    await cluster.replicas[0]!.pause();
    await app.query('INSERT INTO notes VALUES (1)');
    expect(await known(), 'the other one').to.equal(true);
    await cluster.replicas[1]!.pause();
    await app.query('INSERT INTO notes VALUES (2)');
    expect(await known(100)).to.equal(false);
    // What is on its way to them is longer on its way than that.
    const asked = environment.asked('primary');
    expect(await known(1)).to.equal(false);
    expect(environment.asked('primary')).to.equal(asked);
    const waiting = known();
    await cluster.replicas[1]!.resume();
    expect(await waiting).to.equal(true);
  });

  it('knows how far a replica is behind, and does not let it grow with silence', async () => {
    const [first] = cluster.replicas;
    // Counted from the commit, and the sample may be late: two thirds are seen on any machine.
    await first!.setLag(600);
    const mark = await write();
    expect(await shown('replica1', mark)).to.equal(true);
    const lag = policy.lag('replica1')!;
    expect(lag.ms).to.be.at.least(400);
    await environment.rest();
    expect(policy.lag('replica1')!.ms).to.equal(lag.ms);
    await first!.setLag(0);
    await first!.pause();
    await write();
    await until('it is seen to be far behind', () => (policy.lag('replica1')?.ms ?? 0) > 900);
    expect(policy.lag('replica1')!.bytes! > 0n).to.equal(true);
  });

  it('closes in the middle of a probe without a trace', async () => {
    const mark = await write();
    await until('the primary is being asked', () => environment.asked('primary') > 0);
    const waiting = policy.waitUntilShown(['replica1'], mark, 60_000);
    await Promise.all([policy.close(), policy.close()]);
    await waiting;
    const { length } = environment.questions;
    policy.committed(environment.commit());
    policy.lost('replica1');
    expect(environment.questions).to.have.length(length);
  });

  it('takes nodes in and out while running', async () => {
    const [first, second] = cluster.replicas;
    await policy.close();
    environment = new TestEnvironment(cluster, [first!]);
    policy = new Proven(environment, { probeIntervalMs: 10, heartbeat: undefined });
    await second!.pause();
    const early = await write();
    expect(await shown('replica1', early)).to.equal(true);
    expect(policy.expired(early)).to.equal(true);
    environment.servers.set('replica2', second!);
    policy.addNode('replica2');
    await asked('replica2', 2);
    expect(policy.serves('replica2'), 'shows less than what has expired').to.equal(false);
    await second!.resume();
    await until('it serves', () => policy.serves('replica2'));
    expect(policy.shows('replica2', early)).to.equal(true);
    await second!.pause();
    const late = await write();
    expect(await shown('replica1', late)).to.equal(true);
    expect(policy.expired(late)).to.equal(false);
    const open = environment.open;
    await policy.removeNode('replica2');
    expect(environment.open).to.equal(open - 1);
    expect(policy.expired(late)).to.equal(true);
    expect(policy.serves('replica2')).to.equal(false);
  });

  it('asks a replica in use that was not asked for a while, and nobody else', async () => {
    const mark = await write();
    expect(await shown('replica1', mark)).to.equal(true);
    await environment.rest();
    const before = ['primary', 'replica2'].map((node) => environment.asked(node));
    const times = environment.asked('replica1');
    policy.inUse('replica1');
    expect(environment.asked('replica1'), 'just asked').to.equal(times);
    await until('it was asked again', () => {
      policy.inUse('replica1');
      return environment.asked('replica1') > times;
    });
    const last = environment.questions.filter(({ node }) => node === 'replica1').slice(-2);
    expect(last[1]!.at - last[0]!.at).to.be.at.least(1000);
    await environment.rest();
    expect(environment.asked('replica1')).to.equal(times + 1);
    expect(['primary', 'replica2'].map((node) => environment.asked(node))).to.deep.equal(before);
    expect(policy.serves('replica1')).to.equal(true);
  });

  it('says so when a proxy hides which server answers, and proves nothing', async () => {
    environment.processId = 1;
    const mark = await write();
    await environment.rest();
    expect(policy.shows('replica1', mark)).to.equal(false);
    expect(environment.warnings.join()).to.match(/the primary is reached through a proxy/);
    expect(environment.warnings.join()).to.match(/replica1 is reached through a proxy/);
    const { length } = environment.questions;
    await write();
    await environment.rest();
    expect(environment.questions).to.have.length(length);
  });

  it('proves nothing of a name that leads to several servers', async () => {
    const [one, two] = await Promise.all(
      cluster.replicas.map((replica) => TestConnection.open(replica)),
    );
    expect(await shown('replica1', await write())).to.equal(true);
    expect(await policy.admit('replica1', two!)).to.equal(true);
    expect(environment.changed).to.include('replica1');
    expect(await policy.admit('replica1', one!)).to.equal(true);
    const mark = await write();
    expect(await shown('replica2', mark)).to.equal(true);
    expect(policy.shows('replica1', mark)).to.equal(false);
    expect(policy.expired(mark)).to.equal(false);
    expect(environment.warnings.join()).to.match(/replica1 leads to several servers/);
    await Promise.all([one!.end(), two!.end()]);
  });

  it('takes the primary under the name of a replica for what it is, and a stranger for a stranger', async () => {
    environment.servers.set('replica1', cluster.primary);
    const alias = await TestConnection.open(cluster.primary);
    expect(await policy.admit('replica1', alias)).to.equal(true);
    const mark = await write();
    expect(policy.shows('replica1', mark)).to.equal(true);
    expect(await policy.admit('primary', alias)).to.equal(true);
    const standby = await TestConnection.open(cluster.replicas[0]!);
    expect(await policy.admit('primary', standby)).to.equal(false);
    await Promise.all([alias.end(), standby.end()]);
  });

  describe('where the positions are refused', () => {
    const refused = 'FUNCTION pg_current_wal_insert_lsn()';

    before(() => cluster.primary.query(`REVOKE EXECUTE ON ${refused} FROM PUBLIC`));
    after(() => cluster.primary.query(`GRANT EXECUTE ON ${refused} TO PUBLIC`));

    it('proves nothing, and says what would help', async () => {
      const mark = await write();
      await until('each node has refused', () => environment.warnings.length >= 3);
      await environment.rest();
      expect(policy.shows('replica1', mark)).to.equal(false);
      expect(policy.serves('replica1')).to.equal(true);
      expect(environment.warnings, 'one a node').to.have.length(3);
      for (const warning of environment.warnings) {
        expect(warning).to.match(
          /permission denied for function pg_current_wal_insert_lsn.*EXECUTE.*freshness\.heartbeat/,
        );
      }
      // Its role can still be told.
      const connections = await Promise.all(
        [cluster.replicas[0]!, cluster.primary].map((node) => TestConnection.open(node, ordinary)),
      );
      const [standby, writable] = connections;
      expect(await policy.admit('replica1', standby!)).to.equal(true);
      expect(await policy.admit('replica1', writable!)).to.equal(false);
      expect(await policy.admit('primary', writable!)).to.equal(true);
      expect(await policy.admit('primary', standby!)).to.equal(false);
      await Promise.all(connections.map((connection) => connection.end()));
    });

    it('proves by heartbeat, once the table may be made', async () => {
      begin({ heartbeat: { table: 'public.beats of "mine"' } });
      const early = await write();
      await until('it says what it needs', () => environment.warnings.length > 0);
      expect(environment.warnings[0]).to.match(/CREATE TABLE IF NOT EXISTS "public"\."beats of/);
      expect(policy.shows('replica1', early)).to.equal(false);
      await policy.close();

      await cluster.primary.query('GRANT CREATE ON SCHEMA public TO ordinary');
      begin({ heartbeat: { table: 'public.beats of "mine"' } });
      await cluster.replicas[1]!.pause();
      const mark = await write();
      expect(await shown('replica1', mark)).to.equal(true);
      expect(policy.shows('replica2', mark)).to.equal(false);
      expect(policy.lag('replica1')).to.have.property('bytes', undefined);
      await cluster.replicas[1]!.resume();
      expect(await shown('replica2', mark)).to.equal(true);
      expect(policy.expired(mark)).to.equal(true);
      expect(environment.warnings).to.deep.equal([]);
      await policy.close();
      const rows = await cluster.primary.query('SELECT FROM "beats of ""mine"""');
      expect(rows, 'its row is gone').to.have.length(0);
    });
  });

  /** How often the primary was made to flush. */
  function flushes(): number {
    return environment.questions.filter(({ sql }) => sql.includes('pg_logical_emit')).length;
  }

  async function insertPosition(): Promise<bigint> {
    const [row] = await app.query(
      `SELECT (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::text AS position`,
    );
    return BigInt(row!['position'] as string);
  }

  /** Commits rows until the record of a commit ends exactly where its page ends. */
  async function fillPage(): Promise<void> {
    let filling = 1000;
    for (let attempt = 0; attempt < 100; attempt++) {
      const before = await insertPosition();
      await app.query(
        `BEGIN; INSERT INTO notes VALUES (3);
         SELECT pg_logical_emit_message(false, 'f', repeat('x', ${filling})); COMMIT`,
      );
      const after = await insertPosition();
      if (after % PAGE === 24n) return;
      const size = Number(after - before) - Number(after / PAGE - before / PAGE) * 24;
      const rest = Number(PAGE - (after % PAGE));
      filling = Math.max(filling + (rest - size), 300);
      if (rest < 800) filling += Number(PAGE) - 24;
    }
    throw new Error('no commit ended with its page');
  }
});
