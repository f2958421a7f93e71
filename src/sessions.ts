import { alarm, epochMs, now } from './clock';
import { OptionsError } from './errors';
import type { FreshnessPolicy } from './freshness';
import { enlist, warnOfOthersLeftBehind, type OpenSessions } from './open-sessions';
import {
  TokenCodec,
  currentFrame,
  type CommitMark,
  type History,
  type Ledger,
  type Operation,
  type Proof,
  type Seen,
  type TableEntry,
  type TokenWrite,
} from './operation';
import { mergeWrites } from './merge-tokens';
import { TokenReader, type TokenCounts } from './token-reader';

/** A token must not hold a response up for ever because of a statement that waits for a lock. */
const LONGEST_WAIT_MS = 5000;
/** A primary that does not answer must not hold it up for long either. */
const LONGEST_SAMPLE_MS = 100;
/** Nor must the question which database it is, though it is asked only once. */
const LONGEST_NAMING_MS = 1000;

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
  /** The database, by a name that all processes know it by. */
  readonly database: {
    readonly known: string | undefined;
    readonly isAwaited: boolean;
    whenKnown(atMostMs: number): Promise<void>;
  };
  readonly warn: (message: string, once?: string) => void;
}

/** Carries the live writes of an operation to the client's next one, by way of signed tokens. */
export class Sessions {
  readonly #parts: SessionsParts;
  readonly #codec: TokenCodec | undefined;
  readonly #reader: TokenReader;
  readonly #byHand = new WeakSet<Operation>();
  readonly #asOthersSeeIt: OpenSessions;
  readonly #delist: (() => void) | undefined;

  constructor(parts: SessionsParts) {
    const { secrets, database, ledger } = parts;
    const codec = secrets && new TokenCodec(secrets);
    this.#parts = parts;
    this.#codec = codec;
    this.#asOthersSeeIt = {
      get database() {
        return database.known;
      },
      signed: (token) => codec?.read(token) !== undefined,
      hasWritten: (operation) => ledger.hasWritten(operation),
      isCarried: (operation) => this.#isCarried(operation),
      warn: parts.warn,
    };
    this.#reader = new TokenReader(parts, this.#asOthersSeeIt);
    if (codec) this.#delist = enlist(this.#asOthersSeeIt);
  }

  /** Whether tokens can be made and read at all. */
  get enabled(): boolean {
    return this.#codec !== undefined;
  }

  get counts(): TokenCounts {
    return this.#reader.counts;
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
    this.handled(operation);
    return this.tokenOnceIdle(operation);
  }

  /**
   * The token of `operation`, with the outcome of what is under way.
   *
   * @throws OptionsError without `sessionSecret`
   */
  async tokenOnceIdle(operation: Operation): Promise<string | undefined> {
    await this.#whenIdle(operation);
    await this.#whenPlaced(operation);
    if (this.#isNameMissing(operation)) await this.whenNamed();
    return this.tokenOf(operation);
  }

  /** Whether {@link tokenOnceIdle} would have to wait for something. */
  isBusy(operation: Operation): boolean {
    return (
      this.#busy(operation).length > 0 ||
      this.#unplaced(operation) !== undefined ||
      this.#isNameMissing(operation)
    );
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
    const { known: database } = this.#parts.database;
    return codec.write({ issuedAtMs: epochMs(), database, place, seen, writes });
  }

  /**
   * Takes in the tokens that a client has brought, as {@link TokenReader.accept} does.
   *
   * @throws OptionsError without `sessionSecret`, or for what is no string
   */
  accept(tokens: string | readonly string[], operation: Operation): ReadonlySet<string> {
    const codec = this.#mustHaveCodec('token');
    return this.#reader.accept(typeof tokens === 'string' ? [tokens] : tokens, operation, codec);
  }

  /** For when it can't be known what the client has done before. */
  acceptEverything(operation: Operation): void {
    this.#reader.acceptEverything(operation);
  }

  /** Resolves when tokens can be told from those of other databases, or that takes too long. */
  async whenNamed(): Promise<void> {
    await this.#parts.database.whenKnown(LONGEST_NAMING_MS);
  }

  /**
   * Somebody sees to it that the tokens of `operation` travel.
   *
   * @returns whoever came first: it is up to them
   */
  claim(operation: Operation, carrier: object): object {
    return operation.state(this, () => carrier);
  }

  /** The application has seen to it itself, which keeps nobody from doing so as well. */
  handled(operation: Operation): void {
    this.#byHand.add(operation);
  }

  /** Whether a door, or who has opened the operation, carries the tokens of `operation`. */
  isClaimed(operation: Operation): boolean {
    return operation.peek(this) !== undefined;
  }

  /** Warns handles that `operation` has written through and whose tokens do not travel with it. */
  warnOthers(operation: Operation): void {
    warnOfOthersLeftBehind(operation, this.#asOthersSeeIt);
  }

  close(): void {
    this.#delist?.();
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

  /** Whether there is something to tell, and it is worth a wait to say of which database. */
  #isNameMissing(operation: Operation): boolean {
    if (!this.#parts.database.isAwaited) return false;
    return (
      this.#parts.liveWrites(operation).length > 0 ||
      this.#parts.seen(operation)?.mark !== undefined
    );
  }

  /** Whether somebody sees to it that the tokens of `operation`, or of one it follows, travel. */
  #isCarried(operation: Operation): boolean {
    for (let op: Operation | undefined = operation; op; op = op.follows) {
      if (this.isClaimed(op) || this.#byHand.has(op)) return true;
    }
    return false;
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
