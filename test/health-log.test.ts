import { expect } from 'chai';
import { QueryTypes, Sequelize } from 'sequelize';
import { freshReads } from '../src';
import { healthLog } from '../src/health-log';
import { internalsOf } from '../src/sequelize';

const DOWN = (node: string, because: string) =>
  `${node} is down (${because}): no read is sent there until it is back.`;

describe('the log of a replica that is down', () => {
  it('has one line, however often it is tried again', async () => {
    const nowhere = { host: '127.0.0.1', port: 1 };
    const sequelize = new Sequelize({
      dialect: 'postgres',
      logging: false,
      replication: { write: { ...nowhere }, read: [nowhere] },
    });
    // Else the first statement asks for it, and fails.
    internalsOf(sequelize).options.databaseVersion = '16.0.0';
    const logged: string[] = [];
    const reads = freshReads(sequelize, {
      freshness: { mode: 'fixed' },
      logger: { warn: (message) => void logged.push(message) },
    });
    let tries = 0;
    for (const deadline = Date.now() + 10_000; tries < 3 && Date.now() < deadline;) {
      await sequelize.query('SELECT 1', { type: QueryTypes.SELECT }).catch(() => undefined);
      if (reads.status().nodes[1]?.health !== 'suspect') continue;
      tries++;
      while (reads.status().nodes[1]?.health === 'suspect') await new Promise(setImmediate);
    }
    expect(tries).to.equal(3);
    const lines = logged.filter((line) => line.includes('replica1'));
    expect(lines).to.deep.equal([`sequelize-fresh-reads: ${DOWN('replica1', 'connect-failed')}`]);
    await sequelize.close();
  });

  it('has a line when it is back, and when it goes down again', () => {
    const logged: string[] = [];
    const tell = healthLog((message) => logged.push(message));
    const states = ['up', 'suspect', 'down', 'suspect', 'down', 'suspect', 'up', 'down'] as const;
    states.slice(1).forEach((to, index) => {
      const because = to === 'up' ? 'answers' : 'no-answer';
      tell({ node: 'a', from: states[index]!, to, because });
    });
    expect(logged).to.deep.equal([DOWN('a', 'no-answer'), 'a is back.', DOWN('a', 'no-answer')]);
  });

  it('has a line for each other cause', () => {
    const logged: string[] = [];
    const tell = healthLog((message) => logged.push(message));
    tell({ node: 'a', from: 'up', to: 'down', because: 'connect-failed' });
    for (const because of ['not-admitted', 'connect-failed', 'not-admitted'] as const) {
      tell({ node: 'a', from: 'suspect', to: 'down', because });
    }
    tell({ node: 'a', from: 'down', to: 'up', because: 'answers' });
    expect(logged).to.deep.equal([
      DOWN('a', 'connect-failed'),
      'a is still down (not-admitted).',
      'a is back.',
    ]);
  });

  it('has none when it was well all the time', () => {
    const logged: string[] = [];
    const tell = healthLog((message) => logged.push(message));
    tell({ node: 'a', from: 'up', to: 'suspect', because: 'connection-lost' });
    tell({ node: 'a', from: 'suspect', to: 'up', because: 'answers' });
    expect(logged).to.deep.equal([]);
  });

  it('has one of its own where it took the name of another', () => {
    const logged: string[] = [];
    const tell = healthLog((message) => logged.push(message));
    const change = { node: 'a', from: 'up', to: 'down', because: 'connect-failed' } as const;
    tell(change);
    tell(change);
    expect(logged).to.have.length(2);
  });
});
