import { epochMs, now } from './clock';
import { OptionsError, echo } from './errors';
import { later, mergeCarried, seenIn } from './merge-tokens';
import { isOfOther, isReadElsewhere, type OpenSessions } from './open-sessions';
import {
  EVERYTHING,
  type CarriedWrite,
  type Operation,
  type Proof,
  type ReadToken,
  type TokenCodec,
} from './operation';
import type { SessionsParts } from './sessions';

/** After this a token means "everything": clocks drift, and the tables may be others by now. */
const OLDEST_TOKEN_MS = 60 * 60 * 1000;
/** Clocks of two servers may differ by this much; a token from further ahead is as good as an old one. */
const CLOCK_SKEW_MS = 60_000;
/** A write whose outcome nobody saw is settled after this, one way or the other. */
const OPEN_WRITE_MS = 60_000;

/** What became of the tokens that clients brought. */
export interface TokenCounts {
  /** Taken at their word. */
  readonly accepted: number;
  /** Well signed, but too old or of another timeline: they meant everything. */
  readonly widened: number;
  /** Not signed with one of the secrets: forged, cut short, too long, or of somebody else. */
  readonly ignored: number;
}

/** Takes the tokens that clients bring into the books of one handle. */
export class TokenReader {
  readonly #parts: SessionsParts;
  readonly #own: OpenSessions;
  readonly #counts = { accepted: 0, widened: 0, ignored: 0 };

  /** @param own the handle's own entry in the list of open ones */
  constructor(parts: SessionsParts, own: OpenSessions) {
    this.#parts = parts;
    this.#own = own;
  }

  get counts(): TokenCounts {
    return { ...this.#counts };
  }

  /**
   * Counts what the tokens tell of as written by `operation`. What was not signed here is ignored,
   * and what names the database of another handle is left to that one.
   *
   * @returns those that may be taken from the client: the operation's own token will tell what they
   *   told, and they are nobody else's
   * @throws OptionsError for what is no string
   */
  accept(tokens: readonly unknown[], operation: Operation, codec: TokenCodec): ReadonlySet<string> {
    // For the next ones: these can't wait.
    void this.#parts.database.whenKnown(0);
    const writes = new Map<string, CarriedWrite>();
    const done = new Set<string>();
    let seen: Proof | 'unplaced' | undefined;
    for (const token of tokens) {
      if (typeof token !== 'string') {
        throw new OptionsError(`token must be a string that token() gave, got ${echo(token)}.`);
      }
      const read = codec.read(token);
      if (!read) {
        if (!isReadElsewhere(token, this.#own)) this.#counts.ignored++;
        continue;
      }
      const { database } = this.#own;
      const isOurs = database !== undefined && read.isOf(database);
      const isForeign = read.isNamed && database !== undefined && !isOurs;
      if (isForeign && isOfOther(read, this.#own)) continue;
      // Where it can't be told whose it is, it counts here, and stays for others to read as well.
      if (isOurs || (!read.isNamed && !isReadElsewhere(token, this.#own))) done.add(token);
      for (const write of this.#carriedBy(read, isForeign)) {
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
    return done;
  }

  /** For when it can't be known what the client has done before. */
  acceptEverything(operation: Operation): void {
    this.#parts.ledger.carry([everything()], operation);
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

  /** The writes in a token, under the names that they have here. */
  #carriedBy(token: ReadToken, isForeign: boolean): readonly CarriedWrite[] {
    const { issuedAtMs, writes } = token;
    const ageMs = epochMs() - issuedAtMs;
    const here = this.#parts.policy.place();
    // Of a database that nobody here knows: it may be ours of before, moved to another cluster.
    const isElsewhere =
      isForeign ||
      (here !== undefined &&
        token.place !== undefined &&
        (token.place.system !== here.system || token.place.timeline !== here.timeline));
    if (isElsewhere || ageMs > OLDEST_TOKEN_MS || ageMs < -CLOCK_SKEW_MS) {
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
}

/** Committed now at the latest, and nobody knows where in the log. */
function everything(): CarriedWrite {
  return { table: EVERYTHING, open: false, at: now(), proof: undefined };
}
