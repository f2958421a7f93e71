import { createHmac, timingSafeEqual } from 'node:crypto';
import { EVERYTHING, type Proof } from './history';

/** What a session token says. Everything in it is what is needed to find out what is still missing. */
export interface TokenContents {
  /** Milliseconds since the epoch. */
  readonly issuedAtMs: number;
  /** The database that the tables are of, by a name that no other has; `undefined`: not known. */
  readonly database?: string | undefined;
  /** The log that the positions belong to. */
  readonly place: Pick<Proof, 'system' | 'timeline'> | undefined;
  /** How far the session has seen; `unplaced`: up to now, wherever that is in the log. */
  readonly seen: bigint | 'unplaced' | undefined;
  readonly writes: readonly TokenWrite[];
}

export interface TokenWrite {
  readonly table: string;
  /** Its outcome was not known. */
  readonly open: boolean;
  /** Milliseconds since the epoch at which the commit was acknowledged. */
  readonly committedAtMs: number;
  /** A place in the log at or past the commit; `undefined`: none yet. */
  readonly position: bigint | undefined;
}

/** A token whose signature is good. Its names are there as marks that only its own secret can make. */
export interface ReadToken extends Omit<TokenContents, 'writes' | 'database'> {
  readonly writes: readonly (Omit<TokenWrite, 'table'> & { readonly mark: string })[];
  /** The mark of a table under the secret that signed this token. */
  mark(table: string): string;
  /** Whether it says which database its tables are of. */
  readonly isNamed: boolean;
  isOf(database: string): boolean;
}

/** A token that names no database, and one that does. */
const NAMELESS = 1;
const NAMED = 2;
const SIGNATURE_BYTES = 16;
const MARK_BYTES = 6;
/** Short, since there are but a few: one of another that looks the same only costs reads on the primary. */
const DATABASE_BYTES = 3;
/** More tables than this are "everything": a cookie has to stay small. */
const MOST_TABLES = 16;
const LONGEST_TOKEN = 1024;

const HAS_PLACE = 1;
const HAS_SEEN = 2;
const SEEN_IS_PLACED = 4;
const IS_OPEN = 1;
const HAS_POSITION = 2;

/**
 * Writes and reads session tokens: small, signed (HMAC-SHA-256, cut to 128 bits), with a keyed mark
 * of 48 bits in place of each table name. Two tables with the same mark would both be held back.
 */
export class TokenCodec {
  readonly #keys: readonly [Keys, ...Keys[]];

  /** @param secrets the one that signs, then older ones that are still honoured */
  constructor([current, ...older]: readonly [string, ...string[]]) {
    this.#keys = [new Keys(current), ...older.map((secret) => new Keys(secret))];
  }

  write(contents: TokenContents): string {
    const [keys] = this.#keys;
    const body = encode({ ...contents, writes: bounded(contents.writes) }, keys);
    return Buffer.concat([body, keys.sign(body)]).toString('base64url');
  }

  /** `undefined` for whatever was not written with one of the secrets. Never throws. */
  read(token: string): ReadToken | undefined {
    if (token.length > LONGEST_TOKEN || !/^[\w-]+$/.test(token)) return undefined;
    const bytes = Buffer.from(token, 'base64url');
    // A decoder passes over stray characters and bits at the end; there is one way to write a token.
    if (bytes.toString('base64url') !== token) return undefined;
    if (bytes.length <= SIGNATURE_BYTES) return undefined;
    const body = bytes.subarray(0, -SIGNATURE_BYTES);
    const signature = bytes.subarray(-SIGNATURE_BYTES);
    const keys = this.#keys.find((candidate) => timingSafeEqual(candidate.sign(body), signature));
    return keys && (body[0] === NAMELESS || body[0] === NAMED) ? decode(body, keys) : undefined;
  }
}

/** The keys made of one secret: knowing marks must not help to sign. */
class Keys {
  readonly #signing: Buffer;
  readonly #marking: Buffer;
  readonly #marks = new Map<string, Buffer>();

  constructor(secret: string) {
    this.#signing = hmac(secret, 'sequelize-fresh-reads token signature');
    this.#marking = hmac(secret, 'sequelize-fresh-reads table mark');
  }

  sign(body: Buffer): Buffer {
    return hmac(this.#signing, body).subarray(0, SIGNATURE_BYTES);
  }

  mark(table: string): Buffer {
    let mark = this.#marks.get(table);
    if (!mark) {
      mark = hmac(this.#marking, table).subarray(0, MARK_BYTES);
      // Names come from the catalog and from the caller's own calls: a bound for the odd ones.
      if (this.#marks.size < 10_000) this.#marks.set(table, mark);
    }
    return mark;
  }

  /** Marked as tables are; no table has a name with a NUL in it. */
  database(name: string): Buffer {
    return this.mark(`\0${name}`).subarray(0, DATABASE_BYTES);
  }
}

function hmac(key: string | Buffer, data: string | Buffer): Buffer {
  return createHmac('sha256', key).update(data).digest();
}

function bounded(writes: readonly TokenWrite[]): readonly TokenWrite[] {
  if (writes.length <= MOST_TABLES) return writes;
  const positions = writes.map(({ position }) => position);
  return [
    {
      table: EVERYTHING,
      open: writes.some(({ open }) => open),
      committedAtMs: Math.max(...writes.map(({ committedAtMs }) => committedAtMs)),
      position: positions.reduce((a, b) =>
        a === undefined || b === undefined ? undefined : a > b ? a : b,
      ),
    },
  ];
}

function encode({ issuedAtMs, database, place, seen, writes }: TokenContents, keys: Keys): Buffer {
  const parts: Buffer[] = [
    ...(database === undefined ? [byte(NAMELESS)] : [byte(NAMED), keys.database(database)]),
    uint(issuedAtMs, 6),
    byte(
      (place ? HAS_PLACE : 0) |
        (seen === undefined ? 0 : HAS_SEEN) |
        (typeof seen === 'bigint' ? SEEN_IS_PLACED : 0),
    ),
  ];
  if (place) parts.push(int64(BigInt(place.system)), uint(place.timeline, 4));
  if (typeof seen === 'bigint') parts.push(uint64(seen));
  for (const { table, open, committedAtMs, position } of writes) {
    const flags = (open ? IS_OPEN : 0) | (position === undefined ? 0 : HAS_POSITION);
    parts.push(keys.mark(table), byte(flags), uint(committedAtMs, 6));
    if (position !== undefined) parts.push(uint64(position));
  }
  return Buffer.concat(parts);
}

/** The body's signature was good, so it is as {@link encode} made it. */
function decode(body: Buffer, keys: Keys): ReadToken {
  let at = 1;
  const next = (bytes: number): Buffer => body.subarray(at, (at += bytes));
  const named = body[0] === NAMED ? next(DATABASE_BYTES) : undefined;
  const issuedAtMs = next(6).readUIntBE(0, 6);
  const flags = next(1).readUInt8();
  const place =
    flags & HAS_PLACE
      ? { system: String(next(8).readBigInt64BE()), timeline: next(4).readUInt32BE() }
      : undefined;
  const seen =
    flags & SEEN_IS_PLACED
      ? next(8).readBigUInt64BE()
      : flags & HAS_SEEN
        ? ('unplaced' as const)
        : undefined;
  const writes: ReadToken['writes'][number][] = [];
  while (at < body.length) {
    const mark = next(MARK_BYTES).toString('base64url');
    const kind = next(1).readUInt8();
    writes.push({
      mark,
      open: (kind & IS_OPEN) > 0,
      committedAtMs: next(6).readUIntBE(0, 6),
      position: kind & HAS_POSITION ? next(8).readBigUInt64BE() : undefined,
    });
  }
  return {
    issuedAtMs,
    place,
    seen,
    writes,
    mark: (table) => keys.mark(table).toString('base64url'),
    isNamed: named !== undefined,
    isOf: (database) => named?.equals(keys.database(database)) ?? false,
  };
}

function byte(value: number): Buffer {
  return Buffer.from([value]);
}

function uint(value: number, bytes: number): Buffer {
  const buffer = Buffer.alloc(bytes);
  buffer.writeUIntBE(Math.max(0, Math.floor(value)), 0, bytes);
  return buffer;
}

function uint64(value: bigint): Buffer {
  const buffer = Buffer.alloc(8);
  buffer.writeBigUInt64BE(value);
  return buffer;
}

/** The server shows the number of a cluster as a signed one: from 2038 on it is below zero. */
function int64(value: bigint): Buffer {
  const buffer = Buffer.alloc(8);
  buffer.writeBigInt64BE(value);
  return buffer;
}
