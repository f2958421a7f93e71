const LONGEST = 120;
/** Of a list or an object: more would not be shown anyway. */
const MOST_PARTS = 20;

/**
 * A value as it is shown in an error message: short, on one line, and nothing in it that may be
 * secret. So an instance is its class, an object its keys without texts, and a URL has no password.
 */
export function echo(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(shorten(withoutPassword(value)));
  if (typeof value === 'function') {
    const kind = /^class\b/.test(Function.prototype.toString.call(value)) ? 'class' : 'function';
    // A class may have a static member of that name.
    const name: unknown = value.name;
    return `${kind} ${typeof name === 'string' && name !== '' ? name : '(anonymous)'}`;
  }
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value !== 'object' || value === null) return String(value);
  try {
    return shorten(ofObject(value));
  } catch {
    // A getter or a proxy may throw.
    return 'an object';
  }
}

function ofObject(value: object): string {
  if (value instanceof Date)
    return isNaN(Number(value)) ? 'Invalid Date' : `Date ${value.toISOString()}`;
  if (Array.isArray(value)) {
    const parts = value.slice(0, MOST_PARTS).map((part: unknown) => partOf(part, echo));
    return `[${parts.join(', ')}]`;
  }
  const type = classOf(value);
  if (type !== undefined) return `an instance of ${type || 'a class without a name'}`;
  const parts = Object.entries(value)
    .slice(0, MOST_PARTS)
    .map(([key, part]) => `${nameOf(key)}: ${partOf(part, () => '…')}`);
  return parts.length === 0 ? '{}' : `{ ${parts.join(', ')} }`;
}

/** A value inside another one: no deeper than that. */
function partOf(part: unknown, text: (part: string) => string): string {
  if (typeof part === 'string') return text(part);
  if (typeof part !== 'object' || part === null) return echo(part);
  if (Array.isArray(part)) return part.length === 0 ? '[]' : '[…]';
  if (classOf(part) !== undefined) return echo(part);
  return Object.keys(part).length === 0 ? '{}' : '{…}';
}

/** The name of its class, which may be empty; `undefined` for a plain object. */
function classOf(value: object): string | undefined {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (typeof prototype !== 'object' || prototype === null) return undefined;
  const { constructor } = prototype;
  if (typeof constructor !== 'function') return '';
  return constructor.name === 'Object' ? undefined : constructor.name;
}

function nameOf(key: string): string {
  return /^[\w$]+$/.test(key) ? key : JSON.stringify(key);
}

function withoutPassword(text: string): string {
  // Word by word: keys that clients send are shown too, and may be long and of nothing but colons.
  return text.replaceAll(/\S+/g, maskCredentials).replaceAll(/(password=)[^&\s]*/gi, '$1***');
}

/** Of `scheme://user:password@host`: the last @ ends the password, the first colon begins it. */
function maskCredentials(word: string): string {
  const end = word.lastIndexOf('@');
  const start = end < 0 ? -1 : word.slice(0, end).search(/:(?!\/\/)/);
  return start < 0 ? word : `${word.slice(0, start)}:***${word.slice(end)}`;
}

function shorten(text: string): string {
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST - 3)}...`;
}
