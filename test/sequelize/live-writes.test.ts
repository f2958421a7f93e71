import { expect } from 'chai';
import fc from 'fast-check';
import { FixedWindow } from '../../src/freshness';
import { Ledger, Operation, type Frame, type OpenWrite } from '../../src/operation';
import { LiveWrites } from '../../src/sequelize/live-writes';

const frameOf = (operation: Operation | undefined): Frame => ({
  operation,
  resolver: undefined,
  field: undefined,
  freshness: undefined,
  batch: undefined,
  asked: undefined,
  feedsWrite: undefined,
});

describe('the live writes that count for somebody', () => {
  const steps = fc.array(
    fc.tuple(
      fc.constantFrom('open', 'hold', 'commit', 'drop', 'expire'),
      fc.nat(3),
      fc.subarray(['a', 'b', 'c']),
    ),
    { maxLength: 30 },
  );

  it('are at every step what the books hold, however often they are asked for', () => {
    fc.assert(
      fc.property(steps, (script) => {
        const ledger = new Ledger(() => undefined);
        const writes = new LiveWrites(ledger, new FixedWindow(3_600_000));
        const built = new Operation({ kind: 'request' });
        const scopes = [
          undefined,
          built,
          new Operation({ kind: 'query', follows: built }),
          new Operation({ kind: 'job' }),
        ];
        const open: OpenWrite[] = [];
        for (const [step, which, tables] of script) {
          if (step === 'open') open.push(ledger.open(tables, [], frameOf(scopes[which])));
          else if (step === 'expire') ledger.prune(scopes[which], () => true);
          else if (step === 'drop') open.pop()?.drop();
          else open.at(which - open.length)?.[step]();
          for (const scope of scopes) {
            const held = [...ledger.scopes(frameOf(scope))].flatMap((history) => [
              ...history.entries(),
            ]);
            const live = writes.of(frameOf(scope));
            if (ledger.isEmptyFor(scope)) expect(live.entries).to.have.length(0);
            else expect(new Set(live.entries)).to.deep.equal(new Set(held));
            expect(live.tables).to.deep.equal(live.entries.map(({ table }) => table));
          }
        }
      }),
      { numRuns: 300 },
    );
  });
});
