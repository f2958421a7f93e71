import { alarm, epochMs, now } from './clock';
import { OptionsError, echo } from './errors';
import type { FreshnessPolicy } from './freshness';
import {
  EVERYTHING,
  TokenCodec,
  currentFrame,
  type CarriedWrite,
  type CommitMark,
  type History,
  type Ledger,
  type Operation,
  type Proof,
  type ReadToken,
  type Seen,
  type TableEntry,
  type TokenWrite,
} from './operation';
import { later, mergeCarried, mergeWrites, seenIn } from './merge-tokens';

/** After this a token means "everything": clocks drift, and the tables may be others by now. */
const OLDEST_TOKEN_MS = 60 * 60 * 1000;
/** Clocks of two servers may differ by this much; a token from further ahead is as good as an old one. */
const CLOCK_SKEW_MS = 60_000;
/** A write whose outcome nobody saw is settled after this, one way or the other. */
const OPEN_WRITE_MS = 60_000;
/** A token must not hold a response up for ever because of a statement that waits for a lock. */
const LONGEST_WAIT_MS = 5000;
/** A primary that does not answer must not hold it up for long either. */
const LONGEST_SAMPLE_MS = 100;

/** What became of the tokens that clients brought. */
export interface TokenCounts {
  /** Taken at their word. */
  readonly accepted: number;
  /** Well signed, but too old or of another timeline: they meant everything. */
  readonly widened: number;
  /** Not signed with one of the secrets: forged, cut short, too long, or of somebody else. */
  readonly ignored: number;
}

export interface SessionsParts {
  readonly secrets: readonly [string, ...string[]] | undefined;
  readonly ledger: Ledger;
  readonly policy: FreshnessPolicy;
  /** The live writes that the client of `operation` has to carry along. */
  readonly liveWrites: (operation: Operation) => readonly Omit<TableEntry, 'writer'>[];
  /**
   * All tables that may be written, as write records name them, each with the name that it has in
   * all processes; the same object while they are the same.
   */
  readonly tables: () => ReadonlyMap<string, string>;
  /** The name that a table has in all processes. */
  readonly fullNameOf: (table: string) => string;
  /** What has been read; `undefined` where sessions may go back. */
  readonly seen: (operation: Operation) => Seen | undefined;
}

/** Carries the live writes of an operation to the client's next one, by way of signed tokens. */
export class Sessions {
  readonly #parts: SessionsParts;
  readonly #codec: TokenCodec | undefined;
  readonly #counts = { accepted: 0, widened: 0, ignored: 0 };

  constructor(parts: SessionsParts) {
    this.#parts = parts;
    this.#codec = parts.secrets && new TokenCodec(parts.secrets);
  }

  /** Whether tokens can be made and read at all. */
  get enabled(): boolean {
    return this.#codec !== undefined;
  }

  get counts(): TokenCounts {
    return { ...this.#counts };
  }

  /**
   * The token of the current operation; `undefined` when nothing of it is live.
   *
   * @throws OptionsError without `sessionSecret`
   */
  async token(): Promise<string | undefined> {
    this.#mustHaveCodec('token()');
    const { operation } = currentFrame();
    if (!operation) return undefined;
    await this.#whenIdle(operation);
    await this.#whenPlaced(operation);
    return this.tokenOf(operation);
  }

  /** Whether {@link token} would have to wait for something. */
  isBusy(operation: Operation): boolean {
    return this.#busy(operation).length > 0 || this.#unplaced(operation) !== undefined;
  }

  /**
   * The token of `operation` as it is now, without a wait.
   *
   * @throws OptionsError without `sessionSecret`
   */
  tokenOf(operation: Operation): string | undefined {
    const codec = this.#mustHaveCodec('token()');
    const { policy } = this.#parts;
    const place = policy.place();
    const writes = this.#writesOf(operation, place);
    const seen = this.#seenBy(operation, place);
    if (writes.length === 0 && seen === undefined) return undefined;
    return codec.write({ issuedAtMs: epochMs(), place, seen, writes });
  }

  /**
   * Counts what the tokens tell of as written by `operation`. What was not signed here is ignored.
   *
   * @returns those that were not ignored: the operation's own token will tell what they told
   * @throws OptionsError without `sessionSecret`, or for what is no string
   */
  accept(tokens: string | readonly string[], operation: Operation): ReadonlySet<string> {
    const codec = this.#mustHaveCodec('token');
    const list: readonly unknown[] = typeof tokens === 'string' ? [tokens] : tokens;
    const writes = new Map<string, CarriedWrite>();
    const understood = new Set<string>();
    let seen: Proof | 'unplaced' | undefined;
    for (const token of list) {
      if (typeof token !== 'string') {
        throw new OptionsError(`token must be a string that token() gave, got ${echo(token)}.`);
      }
      const read = codec.read(token);
      if (!read) {
        this.#counts.ignored++;
        continue;
      }
      understood.add(token);
      for (const write of this.#carriedBy(read)) {
        writes.set(write.table, mergeCarried(writes.get(write.table), write));
      }
      seen = later(seen, seenIn(read));
    }
    this.#parts.ledger.carry(
      [...writes.values()].filter(({ open, proof }) => open || !this.#isOver(proof)),
      operation,
    );
    if (seen !== undefined && (seen === 'unplaced' || !this.#isOver(seen))) {
      const proof = seen === 'unplaced' ? undefined : seen;
      this.#parts.seen(operation)?.carry(this.#parts.ledger.observe(proof));
    }
    return understood;
  }

  /**
   * Whether a place in the log is behind everybody. That all replicas have come past it is not
   * enough: one that crashes shows less again, and only below what has expired it is not used.
   */
  #isOver(proof: Proof | undefined): boolean {
    if (!proof) return false;
    const mark = { seq: Infinity, at: now(), proof };
    return this.#parts.policy.isEverywhere(mark) && this.#parts.policy.expired(mark);
  }

  /** For when it can't be known what the client has done before. */
  acceptEverything(operation: Operation): void {
    this.#parts.ledger.carry([everything()], operation);
  }

  /** The writes in a token, under the names that they have here. */
  #carriedBy(token: ReadToken): readonly CarriedWrite[] {
    const { issuedAtMs, writes } = token;
    const ageMs = epochMs() - issuedAtMs;
    const here = this.#parts.policy.place();
    const foreign =
      here !== undefined &&
      token.place !== undefined &&
      (token.place.system !== here.system || token.place.timeline !== here.timeline);
    if (foreign || ageMs > OLDEST_TOKEN_MS || ageMs < -CLOCK_SKEW_MS) {
      this.#counts.widened++;
      return [everything()];
    }
    this.#counts.accepted++;
    const names = this.#namesOf(token);
    return writes.flatMap(({ mark, open, committedAtMs, position }) => {
      const sinceMs = Math.max(0, epochMs() - committedAtMs);
      const isOpen = open && sinceMs < OPEN_WRITE_MS;
      const carried = {
        open: isOpen,
        // An open one that nobody waits for any more was settled at the end of that time.
        at: now() - (open && !isOpen ? sinceMs - OPEN_WRITE_MS : sinceMs),
        proof: token.place && position !== undefined ? { ...token.place, position } : undefined,
      };
      return (names.get(mark) ?? [EVERYTHING]).map((table) => ({ table, ...carried }));
    });
  }

  #names: { tables: object; sample: string; byMark: Map<string, string[]> } | undefined;

  /** The tables by their marks. Made again when the catalog or the signing secret is another one. */
  #namesOf(token: ReadToken): Map<string, string[]> {
    const tables = this.#parts.tables();
    const sample = token.mark(EVERYTHING);
    if (this.#names?.tables !== tables || this.#names.sample !== sample) {
      const byMark = new Map<string, string[]>([[sample, [EVERYTHING]]]);
      for (const [table, fullName] of tables) {
        const mark = token.mark(fullName);
        byMark.set(mark, [...(byMark.get(mark) ?? []), table]);
      }
      this.#names = { tables, sample, byMark };
    }
    return this.#names.byMark;
  }

  #writesOf(operation: Operation, place: Place): readonly TokenWrite[] {
    const byTable = new Map<string, TokenWrite>();
    for (const entry of this.#parts.liveWrites(operation)) {
      const open = entry.inFlight > 0 || entry.uncommitted > 0;
      const at = Math.max(open ? entry.openSince : -Infinity, entry.newest?.at ?? -Infinity);
      const write = {
        table: this.#parts.fullNameOf(entry.table),
        open,
        committedAtMs: epochMs() - (now() - at),
        position: open ? undefined : this.#positionOf(entry.newest, place),
      };
      const other = byTable.get(write.table);
      byTable.set(write.table, other ? mergeWrites(other, write) : write);
    }
    return [...byTable.values()];
  }

  #positionOf(mark: CommitMark | undefined, place: Place): bigint | undefined {
    if (!mark || !place) return undefined;
    const proof = mark.proof ?? this.#parts.policy.proofOf(mark);
    return proof?.system === place.system && proof.timeline === place.timeline
      ? proof.position
      : undefined;
  }

  #seenBy(operation: Operation, place: Place): bigint | 'unplaced' | undefined {
    const mark = this.#parts.seen(operation)?.mark;
    if (!mark || this.#parts.policy.isEverywhere(mark)) return undefined;
    return this.#positionOf(mark, place) ?? 'unplaced';
  }

  #busy(operation: Operation): History[] {
    const busy: History[] = [];
    for (let op: Operation | undefined = operation; op; op = op.follows) {
      const history = this.#parts.ledger.peek(op);
      if (history?.busy) busy.push(history);
    }
    return busy;
  }

  async #whenIdle(operation: Operation): Promise<void> {
    const busy = this.#busy(operation);
    if (busy.length === 0) return;
    let timer: { cancel(): void } | undefined;
    const tooLong = new Promise<void>((resolve) => {
      timer = alarm(LONGEST_WAIT_MS, resolve);
    });
    await Promise.race([Promise.all(busy.map((history) => history.whenIdle())), tooLong]);
    timer?.cancel();
  }

  /**
   * What a session brings along without a place in the log holds each of its operations back anew,
   * until one lasts longer than a sample of the log takes. So that one is waited for.
   */
  async #whenPlaced(operation: Operation): Promise<void> {
    const mark = this.#unplaced(operation);
    if (mark) await this.#parts.policy.whenPlaced(mark, LONGEST_SAMPLE_MS);
  }

  #unplaced(operation: Operation): CommitMark | undefined {
    const { policy, liveWrites, seen } = this.#parts;
    const { mark: seenMark } = seen(operation) ?? {};
    const marks = liveWrites(operation).map(({ newest }) => newest);
    const newest = [seenMark, ...marks].reduce(
      (a, b) => (b?.ofSession && !b.proof && b.seq > (a?.seq ?? 0) ? b : a),
      undefined,
    );
    if (!newest || policy.isEverywhere(newest)) return undefined;
    return policy.place() === undefined || policy.proofOf(newest) ? undefined : newest;
  }

  #mustHaveCodec(what: string): TokenCodec {
    if (this.#codec) return this.#codec;
    throw new OptionsError(
      `${what}: session tokens need the option sessionSecret of freshReads(), a long random string that all your processes share.`,
    );
  }
}

type Place = Pick<Proof, 'system' | 'timeline'> | undefined;

/** Committed now at the latest, and nobody knows where in the log. */
function everything(): CarriedWrite {
  return { table: EVERYTHING, open: false, at: now(), proof: undefined };
}
