import crypto from 'node:crypto';
import { readFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import path from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import { EVERYTHING, TokenCodec, type ReadToken, type TokenWrite } from '../../src/operation';
import type { TokenContents } from '../../src/operation/token';

const codec = new TokenCodec(['a secret']);
const MOST_MS = 2 ** 48 - 1;
const MOST_64 = 2n ** 64n - 1n;

/** As the server shows it: a signed number, below zero for clusters made from 2038 on. */
const system = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String);
const position = fc.bigInt({ min: 0n, max: MOST_64 });
const place = fc.record({
  system,
  timeline: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
});
const write: fc.Arbitrary<TokenWrite> = fc.record({
  table: fc.oneof(fc.constant(EVERYTHING), fc.string({ minLength: 1 })),
  open: fc.boolean(),
  committedAtMs: fc.integer({ min: 0, max: MOST_MS }),
  position: fc.option(position, { nil: undefined }),
});
const contents: fc.Arbitrary<TokenContents> = fc.record({
  issuedAtMs: fc.integer({ min: 0, max: MOST_MS }),
  database: fc.option(fc.string(), { nil: undefined }),
  place: fc.option(place, { nil: undefined }),
  seen: fc.oneof(position, fc.constant('unplaced' as const), fc.constant(undefined)),
  writes: fc.uniqueArray(write, { maxLength: 16, selector: ({ table }) => table }),
});

const TABLES = Array.from({ length: 16 }, (_, i) => `some_schema.table_with_a_name_${i}`);
const full: TokenContents = {
  issuedAtMs: 1_700_000_000_000,
  database: '7412345678901234567/16384/shop',
  place: { system: '7412345678901234567', timeline: 3 },
  seen: MOST_64,
  writes: TABLES.map((table) => ({
    table,
    open: false,
    committedAtMs: MOST_MS,
    position: MOST_64,
  })),
};

/** What a token says, with the marks of the tables in the place of their names. */
function marked(
  { issuedAtMs, place, seen, writes }: TokenContents,
  reader: { mark(table: string): string },
) {
  return {
    ...{ issuedAtMs, place, seen },
    writes: writes.map(({ table, ...facts }) => ({ mark: reader.mark(table), ...facts })),
  };
}

function saidBy({ issuedAtMs, place, seen, writes }: ReadToken) {
  return { issuedAtMs, place, seen, writes };
}

function flip(bytes: Buffer, bit: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[bit >> 3]! ^= 1 << (bit & 7);
  return copy;
}

describe('a session token', () => {
  it('says what was put into it', () => {
    fc.assert(
      fc.property(contents, (given) => {
        const read = codec.read(codec.write(given))!;
        expect(saidBy(read)).to.deep.equal(marked(given, read));
      }),
    );
  });

  it('says nothing with any bit of it flipped', () => {
    for (const given of [full, { ...full, place: undefined, seen: undefined, writes: [] }]) {
      const bytes = Buffer.from(codec.write(given), 'base64url');
      for (let bit = 0; bit < bytes.length * 8; bit++) {
        expect(codec.read(flip(bytes, bit).toString('base64url')), `bit ${bit}`).to.equal(
          undefined,
        );
      }
    }
  });

  it('says nothing with any character of it changed, left out or added', () => {
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    // Lengths that leave no, four and two bits of the last character unused.
    for (const tables of [0, 1, 2]) {
      const token = codec.write({ ...full, seen: undefined, writes: full.writes.slice(0, tables) });
      const last = token.length - 1;
      for (const char of alphabet) {
        expect(codec.read(token + char), `${token.length} + ${char}`).to.equal(undefined);
        expect(codec.read(char + token)).to.equal(undefined);
        if (char === token[last]) continue;
        expect(codec.read(token.slice(0, last) + char), `last is ${char}`).to.equal(undefined);
      }
      for (let length = 0; length < token.length; length++) {
        expect(codec.read(token.slice(0, length)), `cut to ${length}`).to.equal(undefined);
      }
      for (const other of [`${token}=`, `${token}\n`, ` ${token}`, `${token}.`, token + token]) {
        expect(codec.read(other)).to.equal(undefined);
      }
    }
  });

  it('says nothing when it is anything else, and never throws', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.string({ unit: 'binary', maxLength: 2000 })), (text) => {
        expect(codec.read(text)).to.equal(undefined);
      }),
    );
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 800 }), (bytes) => {
        expect(codec.read(Buffer.from(bytes).toString('base64url'))).to.equal(undefined);
      }),
    );
    for (const text of ['', '-', 'A'.repeat(5_000_000), 'ä', '😀'.repeat(100), '\0', 'ＡＡＡＡ']) {
      expect(codec.read(text)).to.equal(undefined);
    }
  });

  it('is read with the secret it was signed with, and with no other', () => {
    const token = codec.write(full);
    expect(new TokenCodec(['another secret']).read(token)).to.equal(undefined);
    expect(new TokenCodec(['a secret']).read(token)).not.to.equal(undefined);
  });

  it('is read after its secret was replaced, for as long as that is kept', () => {
    const old = codec.write(full);
    const rotated = new TokenCodec(['new', 'unused', 'a secret']);
    const read = rotated.read(old)!;
    expect(saidBy(read)).to.deep.equal(marked(full, read));
    // New tokens are signed with the current one alone.
    expect(codec.read(rotated.write(full))).to.equal(undefined);
    expect(new TokenCodec(['new']).read(rotated.write(full))).not.to.equal(undefined);
    expect(new TokenCodec(['new']).read(old)).to.equal(undefined);
    // Marks are of the secret that signed: those of the new one mean nothing in an old token.
    expect(rotated.read(rotated.write(full))!.mark('t')).not.to.equal(read.mark('t'));
  });

  it('says which database it is of, if it is told', () => {
    const named = codec.read(codec.write(full))!;
    expect(named.isNamed).to.equal(true);
    expect(named.isOf(full.database!)).to.equal(true);
    expect(named.isOf('7412345678901234567/16385/shop')).to.equal(false);
    const nameless = codec.read(codec.write({ ...full, database: undefined }))!;
    expect(nameless.isNamed).to.equal(false);
    expect(nameless.isOf(full.database!)).to.equal(false);
  });

  it('of another version says nothing, however well it is signed', () => {
    const bytes = Buffer.from(codec.write(full), 'base64url');
    const signature = (body: Buffer) => {
      const key = crypto
        .createHmac('sha256', 'a secret')
        .update('sequelize-fresh-reads token signature')
        .digest();
      return crypto.createHmac('sha256', key).update(body).digest().subarray(0, 16);
    };
    const signed = (body: Buffer) => Buffer.concat([body, signature(body)]).toString('base64url');
    const body = bytes.subarray(0, -16);
    expect(codec.read(signed(body)), 'signed like one of ours').not.to.equal(undefined);
    for (const version of [0, 3, 255]) {
      const other = Buffer.from(body);
      other[0] = version;
      expect(codec.read(signed(other)), `version ${version}`).to.equal(undefined);
    }
  });

  it('is as long as docs/scale.md says', () => {
    const [write] = full.writes as [TokenWrite];
    const lengthFor = (tables: number) => {
      const writes = Array.from({ length: tables }, (_, i) => ({ ...write, table: `table${i}` }));
      return codec.write({ ...full, seen: undefined, writes }).length;
    };
    const text = readFileSync(path.join(__dirname, '../../docs/scale.md'), 'utf8');
    const said = /A token is (\d+) .* and (\d+) more .*: (\d+) for 16.*in (\d+) characters/s.exec(
      text,
    );
    expect(said?.slice(1).map(Number)).to.deep.equal([
      lengthFor(1),
      lengthFor(2) - lengthFor(1),
      lengthFor(16),
      lengthFor(17),
    ]);
  });

  it('is shorter than 512 characters, whatever is in it', () => {
    expect(codec.write(full)).to.have.length.within(400, 511);
    fc.assert(
      fc.property(fc.array(write, { maxLength: 40 }), contents, (writes, rest) => {
        const token = codec.write({ ...rest, writes });
        expect(token.length).to.be.below(512);
        expect(token).to.match(/^[\w-]+$/);
      }),
    );
  });

  it('with more than 16 tables tells of a write to everything that covers them all', () => {
    const writes = [...full.writes, { ...full.writes[0]!, table: 'one_more', position: 5n }];
    const read = codec.read(codec.write({ ...full, writes }))!;
    expect(read.writes).to.deep.equal([
      { mark: read.mark(EVERYTHING), open: false, committedAtMs: MOST_MS, position: MOST_64 },
    ]);
    const unplaced = writes.map((one, i) => (i === 7 ? { ...one, position: undefined } : one));
    const without = codec.read(codec.write({ ...full, writes: unplaced }))!;
    expect(without.writes[0]).to.include({ position: undefined });
    const open = writes.map((one, i) => ({ ...one, open: i === 16, committedAtMs: i }));
    const waiting = codec.read(codec.write({ ...full, writes: open }))!;
    expect(waiting.writes).to.have.length(1);
    expect(waiting.writes[0]).to.include({ open: true, committedAtMs: 16 });
  });

  it('shows no table name, and the same table otherwise under another secret', () => {
    const token = codec.write({ ...full, writes: [{ ...full.writes[0]!, table: 'secret_plans' }] });
    const bytes = Buffer.from(token, 'base64url');
    for (const encoding of ['latin1', 'utf8', 'utf16le', 'hex'] as const) {
      expect(bytes.toString(encoding)).not.to.include('secret');
    }
    const plain = crypto.createHash('sha256').update('secret_plans').digest().subarray(0, 6);
    expect(bytes.includes(plain)).to.equal(false);
    const other = new TokenCodec(['another']);
    const mark = other.read(other.write(full))!.mark('secret_plans');
    expect(codec.read(token)!.mark('secret_plans')).not.to.equal(mark);
  });

  it('is the same for the same contents, and differs in the time of issue alone', () => {
    expect(codec.write(full)).to.equal(codec.write(structuredClone(full)));
    const later = codec.read(codec.write({ ...full, issuedAtMs: full.issuedAtMs + 1 }))!;
    const before = codec.read(codec.write(full))!;
    expect(before.mark('x')).to.equal(later.mark('x'));
    expect(saidBy(later)).to.deep.equal({ ...saidBy(before), issuedAtMs: full.issuedAtMs + 1 });
  });

  it('is compared in constant time', () => {
    const { timingSafeEqual } = crypto;
    const compared: number[] = [];
    crypto.timingSafeEqual = (a, b) => {
      compared.push(a.byteLength, b.byteLength);
      return timingSafeEqual(a, b);
    };
    syncBuiltinESMExports();
    try {
      const bytes = Buffer.from(codec.write(full), 'base64url');
      codec.read(bytes.toString('base64url'));
      codec.read(flip(bytes, bytes.length * 8 - 1).toString('base64url'));
      codec.read(flip(bytes, (bytes.length - 16) * 8).toString('base64url'));
    } finally {
      crypto.timingSafeEqual = timingSafeEqual;
      syncBuiltinESMExports();
    }
    expect(compared).to.deep.equal([16, 16, 16, 16, 16, 16]);
  });
});
