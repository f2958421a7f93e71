import { expect } from 'chai';
import fc from 'fast-check';
import {
  EVERYTHING,
  type Field,
  Ledger,
  Operation,
  logicalTime,
  toRecord,
} from '../../src/operation';

function ledger(): Ledger {
  return new Ledger(() => undefined);
}

const by = (operation: Operation | undefined, resolver?: string, field?: Field) => ({
  operation,
  resolver,
  field,
});

const tablesOf = (books: Ledger, operation: Operation | undefined): string[] => [
  ...new Set(
    [...books.scopes({ operation, field: undefined, batch: undefined })].flatMap((scope) =>
      [...scope.entries()].map(({ table }) => table),
    ),
  ),
];

describe('write history', () => {
  it('goes through in flight, uncommitted and committed', () => {
    const books = ledger();
    const operation = new Operation({ name: 'create', kind: 'mutation' });
    const write = books.open(['users'], [], by(operation, 'Mutation.createUser'));
    const record = () => toRecord(books.peek(operation)!.get('users')!);
    expect(record()).to.deep.equal({
      table: 'users',
      state: 'in-flight',
      operation: operation.info,
      resolver: 'Mutation.createUser',
      committedAtMs: undefined,
    });
    write.hold();
    expect(record().state).to.equal('uncommitted');
    write.commit();
    expect(record().state).to.equal('committed');
    expect(record().committedAtMs).to.be.a('number');
  });

  it('leaves no trace of what was dropped', () => {
    const books = ledger();
    const operation = new Operation({ kind: 'job' });
    books.open(['users'], [], by(operation)).drop();
    expect(tablesOf(books, operation)).to.deep.equal([]);
    expect(tablesOf(books, undefined)).to.deep.equal([]);
    expect(books.hasWritten(operation)).to.equal(true);
  });

  it('ends a write once, however often it is told to', () => {
    const books = ledger();
    const first = books.open(['users'], [], by(undefined));
    const second = books.open(['users'], [], by(undefined));
    first.drop();
    first.drop();
    first.commit();
    expect(books.process.get('users')).to.include({ inFlight: 1, newest: undefined });
    second.commit();
    expect(books.process.get('users')!.newest).not.to.equal(undefined);
  });

  it('does not expire a write that is still open, whatever its earlier commits', () => {
    const books = ledger();
    books.open(['users'], [], by(undefined)).commit();
    const open = books.open(['users'], [], by(undefined));
    books.prune(undefined, () => true);
    expect(tablesOf(books, undefined)).to.deep.equal(['users']);
    open.hold();
    books.prune(undefined, () => true);
    expect(tablesOf(books, undefined)).to.deep.equal(['users']);
    open.drop();
    expect(tablesOf(books, undefined)).to.deep.equal([]);
  });

  it('is not shortened by an older commit that settles late', () => {
    const books = ledger();
    books.open(['users'], [], by(undefined)).commit();
    const older = books.process.get('users')!.newest!;
    books.open(['users'], [], by(undefined)).commit();
    const newer = books.process.get('users')!.newest!;
    books.process.begin('users', { operation: undefined, resolver: undefined });
    books.process.end('users', 'in-flight', older);
    expect(books.process.get('users')!.newest).to.equal(newer);
  });

  it('counts the writes of an operation that this one follows, and not the other way round', () => {
    const books = ledger();
    const context = new Operation({ kind: 'request' });
    const operation = new Operation({ kind: 'query', follows: context });
    const sibling = new Operation({ kind: 'query', follows: context });
    books.open(['sessions'], [], by(context)).commit();
    books.open(['users'], [], by(operation)).commit();
    expect(tablesOf(books, operation)).to.have.members(['sessions', 'users']);
    expect(tablesOf(books, sibling)).to.have.members(['sessions']);
    expect(tablesOf(books, context)).to.have.members(['sessions']);
  });

  it('tells what was touched since, also by ignored and by rolled back writes', () => {
    const books = ledger();
    const operation = new Operation({ kind: 'job' });
    const start = logicalTime();
    const write = books.open(['users'], ['audit'], by(operation));
    for (const table of ['users', 'audit']) {
      expect(books.touchedSince(start, [table], operation), table).to.equal(true);
    }
    expect(books.touchedSince(start, ['posts'], operation)).to.equal(false);
    expect(books.touchedSince(start, undefined, operation)).to.equal(true);
    const marked = logicalTime();
    expect(books.touchedSince(marked, ['users'], operation)).to.equal(false);
    write.drop();
    expect(books.touchedSince(marked, ['users'], operation)).to.equal(true);
    expect(books.touchedSince(start, ['posts'], new Operation({ kind: 'job' }))).to.equal(false);
    books.open([EVERYTHING], [], by(undefined)).commit();
    expect(books.touchedSince(marked, ['posts'], operation)).to.equal(true);
  });

  it('agrees with a model that keeps every write by itself', () => {
    const steps = fc.array(
      fc.tuple(
        fc.constantFrom('open', 'hold', 'commit', 'drop', 'expire'),
        fc.nat(7),
        fc.constantFrom('a', 'b', 'c'),
      ),
      { maxLength: 60 },
    );
    fc.assert(
      fc.property(steps, (script) => {
        const books = ledger();
        const writes: {
          table: string;
          state: string;
          seq: number;
          open: ReturnType<Ledger['open']>;
        }[] = [];
        for (const [step, pick, table] of script) {
          const chosen = writes[pick % Math.max(writes.length, 1)];
          if (step === 'open') {
            writes.push({
              table,
              state: 'open',
              seq: 0,
              open: books.open([table], [], by(undefined)),
            });
          } else if (step === 'expire') {
            const limit = logicalTime() - pick;
            books.prune(undefined, (mark) => mark.seq <= limit);
            for (const write of writes) {
              if (write.state === 'committed' && write.seq <= limit) write.state = 'gone';
            }
          } else if (chosen) {
            chosen.open[step]();
            if (chosen.state !== 'open') continue;
            if (step === 'drop') chosen.state = 'gone';
            if (step === 'commit') {
              chosen.state = 'committed';
              chosen.seq = books.process.get(chosen.table)!.newest!.seq;
            }
          }
        }
        const live = new Set(writes.filter(({ state }) => state !== 'gone').map((w) => w.table));
        expect(new Set(tablesOf(books, undefined))).to.deep.equal(live);
      }),
    );
  });
});
