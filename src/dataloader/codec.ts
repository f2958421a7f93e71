import { OptionsError, echo } from '../errors';

/**
 * How keys of one column become text: the text tells equal keys, matches rows to keys, and is what
 * the server reads the key from.
 */
export interface Codec {
  /** What the text can't be trusted for: such columns leave matching to the server. */
  readonly exact: boolean;
  /** Numbers from its negative up to below it are keys as they are. */
  readonly small?: number;
  /**
   * Of keys that are whole numbers: the type that holds them all, whatever the column's own. Their
   * texts are digits with a sign, if any: nothing that has to be quoted.
   */
  readonly whole?: 'int' | 'bigint';
  /**
   * The same for all texts that a collation, or a type that the model does not tell of, may take for
   * the same; `undefined` for a text that may be the same as any other.
   */
  readonly alike?: (text: string) => string | undefined;
  /** The one text of a value, or `undefined` when the column can't hold it. */
  encode(value: unknown): string | undefined;
}

/** What tells equal keys: their text, or a number where it is as good. */
export type KeyId = string | number;

/** The id of a value, or `undefined` when the column can't hold it. */
export function idOf(codec: Codec, value: unknown): KeyId | undefined {
  const { small } = codec;
  if (small === undefined) return codec.encode(value);
  // Nearly all keys are such numbers, and a text of each would be one more string to make and to hash.
  if (typeof value === 'number' && value < small && value >= -small) {
    return Number.isInteger(value) ? value + 0 : undefined;
  }
  const encoded = codec.encode(value);
  return encoded === undefined ? undefined : Number(encoded);
}

const UUID = /^[0-9a-f]{8}(-?[0-9a-f]{4}){3}-?[0-9a-f]{12}$/i;
/** No column holds a number of more digits. */
const WHOLE = /^\s*([+-]?)0*(\d{1,19})\s*$/;
const DECIMAL = /^([+-]?)(?=\.?\d)(\d*)(?:\.(\d*))?(?:e([+-]?\d{1,3}))?$/i;
const DIGITS = /^-?\d+$/;
// eslint-disable-next-line no-control-regex -- all of them
const ASCII = /^[\x00-\x7f]*$/;
const SPECIAL = /["\\]/;
const DAY = /^\d{4}-\d{2}-\d{2}$/;
const LOWEST_TIME = Date.parse('0001-01-01T00:00:00.000Z');
const HIGHEST_TIME = Date.parse('9999-12-31T23:59:59.999Z');

const text: Codec = { exact: true, alike: plainLetters, encode: plainText };

const byTypeKey: Readonly<Record<string, Codec>> = {
  TINYINT: integer(15n),
  SMALLINT: integer(15n),
  MEDIUMINT: integer(31n),
  INTEGER: integer(31n),
  BIGINT: integer(63n),
  DECIMAL: { exact: true, encode: decimal },
  FLOAT: { exact: true, encode: float },
  REAL: { exact: true, encode: float },
  'DOUBLE PRECISION': { exact: true, encode: float },
  STRING: text,
  TEXT: text,
  // The server compares without regard to case, by rules of its own.
  CITEXT: { exact: false, encode: (value) => plainText(value)?.toLowerCase() },
  UUID: { exact: true, encode: uuid },
  BOOLEAN: { exact: true, encode: boolean },
  // A column may have no time zone: then its Dates are other moments than the server compares.
  DATE: { exact: false, encode: date },
  DATEONLY: { exact: true, encode: day },
  BLOB: { exact: true, encode: bytes },
};

/** For types whose text has several forms (networks, ranges), or that we don't know. */
const anything: Codec = { exact: false, encode: plainText };

/** The codec of an attribute's type as Sequelize holds it. */
export function codecOf(type: unknown): Codec {
  if (typeof type !== 'object' || type === null) return anything;
  const { key, values } = type as { key?: string; values?: readonly string[] };
  if (key === 'ENUM' && values) return enumeration(values);
  return (key === undefined ? undefined : byTypeKey[key]) ?? anything;
}

/** @throws OptionsError that `value` is no value, or none that a column of `typeName` can hold */
export function refuseKey(
  label: string,
  typeName: string,
  value: unknown,
  instanceOf?: string,
): never {
  const or = instanceOf === undefined ? '' : `, and no instance of ${instanceOf}`;
  throw new OptionsError(`${label}: ${echo(value)} is no key of type ${typeName}${or}.`);
}

export function isKeyValue(value: unknown): boolean {
  const kind = typeof value;
  return (
    kind === 'string' ||
    kind === 'number' ||
    kind === 'bigint' ||
    kind === 'boolean' ||
    value instanceof Date ||
    Buffer.isBuffer(value)
  );
}

/** Keys that are whole numbers as the literal of one array. */
export function wholeLiteral(type: 'int' | 'bigint', ids: readonly KeyId[]): string {
  return `'{${ids.join(',')}}'::${type}[]`;
}

/** Keys as the text of one array, as PostgreSQL reads it. */
export function arrayText(texts: readonly string[]): string {
  let list = '';
  for (const item of texts) list += list === '' ? elementText(item) : `,${elementText(item)}`;
  return `{${list}}`;
}

function elementText(item: string): string {
  if (DIGITS.test(item)) return item;
  return SPECIAL.test(item) ? `"${item.replace(/["\\]/g, '\\$&')}"` : `"${item}"`;
}

function plainText(value: unknown): string | undefined {
  if (value instanceof Date) return date(value);
  if (Buffer.isBuffer(value)) return bytes(value);
  if (!isKeyValue(value)) return undefined;
  const plain = String(value);
  // No text of PostgreSQL holds a NUL.
  return plain.includes('\0') ? undefined : plain;
}

/**
 * A collation may ignore case, what is no letter or digit, and zeros before a number. Some languages
 * take v and w, or i and y, for one letter; beyond ASCII no list is complete (ø and o, ß and ss).
 */
function plainLetters(word: string): string | undefined {
  if (!ASCII.test(word)) return undefined;
  return word
    .toLowerCase()
    .replace(/(?<!\d)0+(?=\d)|[^a-z\d]/g, '')
    .replaceAll('w', 'v')
    .replaceAll('y', 'i');
}

function integer(bits: bigint): Codec {
  const end = 2n ** bits;
  const safeEnd = Math.min(Number(end), Number.MAX_SAFE_INTEGER);
  return {
    exact: true,
    whole: bits <= 31n ? 'int' : 'bigint',
    ...(bits <= 31n && { small: Number(end) }),
    encode(value) {
      // Told from others without a bigint.
      if (typeof value === 'number' && value < safeEnd && value >= -safeEnd) {
        return Number.isInteger(value) ? String(value + 0) : undefined;
      }
      if (typeof value === 'number' && !Number.isSafeInteger(value)) return undefined;
      if (!['number', 'string', 'bigint'].includes(typeof value)) return undefined;
      const match = WHOLE.exec(String(value));
      if (!match) return undefined;
      const [, sign, digits = ''] = match;
      const whole = BigInt(sign === '-' ? `-${digits}` : digits);
      return whole >= -end && whole < end ? whole.toString() : undefined;
    },
  };
}

function decimal(value: unknown): string | undefined {
  if (!['number', 'string', 'bigint'].includes(typeof value)) return undefined;
  const match = DECIMAL.exec(String(value).trim());
  if (!match) return undefined;
  const [, sign, units = '', fraction = '', exponent = '0'] = match;
  const point = units.length + Number(exponent);
  const start = Math.max(point, 0);
  const digits = `${'0'.repeat(start - point)}${units}${fraction}`.padEnd(start, '0');
  const whole = digits.slice(0, start).replace(/^0+/, '') || '0';
  const rest = withoutEndingZeros(digits.slice(start));
  const plain = rest === '' ? whole : `${whole}.${rest}`;
  return sign === '-' && /[1-9]/.test(plain) ? `-${plain}` : plain;
}

/** By hand: an expression would look for the end from each zero, and clients may send any number of them. */
function withoutEndingZeros(digits: string): string {
  let end = digits.length;
  while (digits[end - 1] === '0') end--;
  return digits.slice(0, end);
}

function float(value: unknown): string | undefined {
  if (typeof value === 'string' && value.trim() === '') return undefined;
  if (!['number', 'string', 'bigint'].includes(typeof value)) return undefined;
  const number = Number(value);
  return Number.isFinite(number) ? String(number + 0) : undefined;
}

function uuid(value: unknown): string | undefined {
  if (typeof value !== 'string' || !UUID.test(value)) return undefined;
  const digits = value.replaceAll('-', '').toLowerCase();
  return [0, 8, 12, 16, 20]
    .map((start, index, starts) => digits.slice(start, starts[index + 1]))
    .join('-');
}

function boolean(value: unknown): string | undefined {
  const plain = String(value);
  return plain === 'true' || plain === 'false' ? plain : undefined;
}

function date(value: unknown): string | undefined {
  const usable =
    value instanceof Date ||
    typeof value === 'number' ||
    (typeof value === 'string' && value !== '');
  if (!usable) return undefined;
  const time = new Date(value).getTime();
  return time >= LOWEST_TIME && time <= HIGHEST_TIME ? new Date(time).toISOString() : undefined;
}

/** A moment is the day it is here, as Sequelize takes it. */
function day(value: unknown): string | undefined {
  if (typeof value === 'string' && DAY.test(value)) {
    return date(value)?.slice(0, 10) === value ? value : undefined;
  }
  if (date(value) === undefined) return undefined;
  const moment = new Date(value as Date | number | string);
  const [year, month, ofMonth] = [moment.getFullYear(), moment.getMonth() + 1, moment.getDate()];
  return [String(year).padStart(4, '0'), pair(month), pair(ofMonth)].join('-');
}

function pair(number: number): string {
  return String(number).padStart(2, '0');
}

function bytes(value: unknown): string | undefined {
  if (Buffer.isBuffer(value)) return `\\x${value.toString('hex')}`;
  return typeof value === 'string' ? `\\x${Buffer.from(value).toString('hex')}` : undefined;
}

function enumeration(values: readonly string[]): Codec {
  return {
    exact: true,
    encode: (value) => (values.includes(value as string) ? (value as string) : undefined),
  };
}
