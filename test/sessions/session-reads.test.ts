import { expect } from 'chai';
import { FixedWindow } from '../../src/freshness';
import { Ledger, Operation } from '../../src/operation';
import { SessionReads } from '../../src/sequelize';

describe('the reads of a session', () => {
  const ledger = new Ledger(() => undefined);
  let run = 0;
  const policy = new (class extends FixedWindow {
    override run(): number {
      return run;
    }
  })(1000);
  const nodes = { replicas: ['replica1'] };
  const reads = new SessionReads({ enabled: true, ledger, policy, nodes });

  it('count for the run of the node that they were sent to, not for a later one', () => {
    const operation = new Operation({ kind: 'query' });
    const from = reads.begin(operation, 'replica1');
    // The node crashes while the answer is on its way (or instead of it).
    run++;
    reads.end(operation, from, 0);
    expect(reads.seen(operation)?.isLast(reads.runOf('replica1'))).to.equal(false);
    reads.end(operation, reads.begin(operation, 'replica1'), 1);
    expect(reads.seen(operation)?.isLast(reads.runOf('replica1'))).to.equal(true);
  });

  it('go on in an operation that follows another one', () => {
    const context = new Operation({ kind: 'request' });
    reads.end(context, reads.begin(context, 'replica1'), 0);
    const operation = new Operation({ kind: 'query', follows: context });
    expect(reads.seen(operation)?.mark).not.to.equal(undefined);
    expect(reads.seen(operation)).to.equal(reads.seen(context));
    expect(reads.seen(new Operation({ kind: 'query' }))?.mark).to.equal(undefined);
  });

  it('are of no interest outside an operation, and without the option', () => {
    expect(reads.begin(undefined, 'replica1')).to.equal(undefined);
    const off = new SessionReads({ enabled: false, ledger, policy, nodes });
    const operation = new Operation({ kind: 'query' });
    expect(off.begin(operation, 'replica1')).to.equal(undefined);
    expect(off.seen(operation)).to.equal(undefined);
  });
});
