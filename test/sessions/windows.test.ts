import { expect } from 'chai';
import { FixedWindow, type FreshnessPolicy } from '../../src/freshness';
import {
  EVERYTHING,
  Ledger,
  Operation,
  TokenCodec,
  runInOperation,
  type Proof,
  type TokenWrite,
} from '../../src/operation';
import { LiveWrites } from '../../src/sequelize';
import { Sessions } from '../../src/sessions';

const SECRET = 'secret';
const codec = new TokenCodec([SECRET]);
const WINDOW_MS = 5000;
const PLACE = { system: '1', timeline: 1 };

/** One process without a database: the books, a policy and what carries tokens. */
class Process {
  readonly ledger: Ledger;
  readonly writes: LiveWrites;
  readonly sessions: Sessions;

  constructor(readonly policy: FreshnessPolicy = new FixedWindow(WINDOW_MS)) {
    this.ledger = new Ledger((mark) => policy.committed(mark));
    this.writes = new LiveWrites(this.ledger, policy);
    this.sessions = new Sessions({
      secrets: [SECRET],
      ledger: this.ledger,
      policy,
      liveWrites: (operation) => this.writes.ofClient(operation),
      tables: () => new Map([['users', 'public.users']]),
      fullNameOf: (table) => (table === EVERYTHING ? table : `public.${table}`),
      seen: () => undefined,
      database: { known: undefined, isAwaited: false, whenKnown: () => Promise.resolve() },
      warn: () => undefined,
    });
  }

  /** The states of the tables that hold an operation with this token back. */
  held(token: string): string[] {
    const operation = new Operation({ kind: 'query' });
    this.sessions.accept(token, operation);
    return this.writes
      .ofOperation(operation)
      .map(({ table, uncommitted }) => `${table} ${uncommitted > 0 ? 'open' : 'committed'}`);
  }

  hop(token: string): Promise<string | undefined> {
    const operation = new Operation({ kind: 'query' });
    this.sessions.accept(token, operation);
    return runInOperation(operation, () => this.sessions.token());
  }
}

function token(write: Partial<TokenWrite>, issuedAgoMs = 0): string {
  const committedAtMs = Date.now();
  return codec.write({
    issuedAtMs: Date.now() - issuedAgoMs,
    place: undefined,
    seen: undefined,
    writes: [{ table: 'public.users', open: false, committedAtMs, position: undefined, ...write }],
  });
}

const ago = (ms: number) => ({ committedAtMs: Date.now() - ms });

describe('a token and a fixed window', () => {
  const receiver = new Process();

  it('holds the table back for the rest of the window', () => {
    expect(receiver.held(token(ago(0)))).to.deep.equal(['users committed']);
    expect(receiver.held(token(ago(WINDOW_MS - 1000)))).to.deep.equal(['users committed']);
    expect(receiver.held(token(ago(WINDOW_MS + 1)))).to.deep.equal([]);
  });

  it('does not make the window longer, however often it is passed on', async () => {
    const committed = Date.now() - 1000;
    let carried: string | undefined = token({ committedAtMs: committed });
    for (let i = 0; i < 20 && carried; i++) carried = await new Process().hop(carried);
    const [write] = codec.read(carried!)!.writes;
    expect(write?.committedAtMs).to.be.within(committed - 20, committed + 20);
    expect(await receiver.hop(token(ago(WINDOW_MS + 1)))).to.equal(undefined);
  });

  it('keeps what is open for a minute, and then for the window', () => {
    expect(receiver.held(token({ open: true, ...ago(50_000) }))).to.deep.equal(['users open']);
    expect(receiver.held(token({ open: true, ...ago(61_000) }))).to.deep.equal(['users committed']);
    expect(receiver.held(token({ open: true, ...ago(66_000) }))).to.deep.equal([]);
  });

  it('counts a commit that is younger than what is open on the same table', async () => {
    const sender = new Process();
    const operation = new Operation({ kind: 'job' });
    const at = performance.now();
    for (const write of [
      { open: true, at: at - 70_000 },
      { open: false, at },
    ]) {
      sender.ledger.carry([{ table: 'users', proof: undefined, ...write }], operation);
    }
    const made = await runInOperation(operation, () => sender.sessions.token());
    expect(receiver.held(made!)).to.deep.equal(['users open']);
    const [write] = codec.read(made!)!.writes;
    expect(Date.now() - write!.committedAtMs).to.be.below(5000);
  });

  it('means everything, from now on, when it is an hour old or comes from the future', () => {
    for (const issuedAgoMs of [60 * 60 * 1000 + 1000, -61_000]) {
      const old = token(ago(WINDOW_MS + 1), issuedAgoMs);
      expect(receiver.held(old)).to.deep.equal([`${EVERYTHING} committed`]);
    }
    expect(receiver.held(token(ago(0), 60 * 60 * 1000 - 1000))).to.deep.equal(['users committed']);
    // The clocks of two servers are never quite the same.
    expect(receiver.held(token(ago(-30_000), -30_000))).to.deep.equal(['users committed']);
    expect(receiver.sessions.counts.widened).to.equal(2);
  });

  it('of an unknown table means everything', () => {
    expect(receiver.held(token({ table: 'public.other' }))).to.deep.equal([
      `${EVERYTHING} committed`,
    ]);
  });
});

describe('a token and places in the log', () => {
  /** Knows of places in the log what a test says. */
  class Places extends FixedWindow {
    everywhere = false;
    over = false;
    override isEverywhere(): boolean {
      return this.everywhere;
    }
    override expired(): boolean {
      return this.over;
    }
    override place(): undefined {
      return PLACE as never;
    }
  }

  const placed = (proof: Partial<Proof> = {}) =>
    codec.write({
      issuedAtMs: Date.now(),
      place: { ...PLACE, ...proof },
      seen: undefined,
      writes: [{ table: 'public.users', open: false, ...ago(0), position: 7n }],
    });

  it('is of no interest only when all show it, and whoever shows less again is out', () => {
    const policy = new Places(WINDOW_MS);
    const receiver = new Process(policy);
    const carried = () => {
      const operation = new Operation({ kind: 'query' });
      receiver.sessions.accept(placed(), operation);
      return receiver.ledger.peek(operation)?.size ?? 0;
    };
    expect(carried()).to.equal(1);
    // A replica that has come past it may crash, and show less.
    policy.everywhere = true;
    expect(carried()).to.equal(1);
    // One that is not in use here may be in use elsewhere.
    policy.over = true;
    policy.everywhere = false;
    expect(carried()).to.equal(1);
    policy.everywhere = true;
    expect(carried()).to.equal(0);
  });

  it('goes on telling what has expired here, for a replica that is in use elsewhere', async () => {
    const policy = new Places(WINDOW_MS);
    policy.over = true;
    const receiver = new Process(policy);
    const [write] = codec.read((await receiver.hop(placed()))!)!.writes;
    expect(write).to.include({ position: 7n });
    policy.everywhere = true;
    expect(await receiver.hop(placed())).to.equal(undefined);
  });

  it('means everything when it is of another log', () => {
    const receiver = new Process(new Places(WINDOW_MS));
    for (const other of [{ timeline: 2 }, { system: '2' }]) {
      expect(receiver.held(placed(other))).to.deep.equal([`${EVERYTHING} committed`]);
    }
    expect(receiver.held(placed())).to.deep.equal(['users committed']);
  });

  it('that differ between two tokens, the further one counts', async () => {
    const receiver = new Process(new Places(WINDOW_MS));
    const operation = new Operation({ kind: 'query' });
    const write = { table: 'public.users', open: false, ...ago(0) };
    const at = (position: bigint | undefined) =>
      codec.write({
        ...{ issuedAtMs: Date.now(), place: PLACE, seen: undefined },
        writes: [{ ...write, position }],
      });
    receiver.sessions.accept([at(7n), at(5n)], operation);
    receiver.sessions.accept(at(6n), operation);
    const newest = () => receiver.ledger.peek(operation)?.get('users')?.newest?.proof?.position;
    expect(newest()).to.equal(7n);
    receiver.sessions.accept([at(9n), at(undefined)], operation);
    expect(newest()).to.equal(undefined);
  });
});
