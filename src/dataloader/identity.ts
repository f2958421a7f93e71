import { OptionsError, echo } from '../errors';
import { isRecord } from '../validate';

/**
 * A copy of plain data with its identity: what the caller does to his own later on must not change
 * what the identity stands for.
 *
 * @throws OptionsError as {@link identityOf}
 */
export function identified<T>(where: string, value: T): { readonly id: string; readonly copy: T } {
  const copy = copyOf(value) as T;
  return { id: identityOf(where, copy), copy };
}

/** What is no plain data comes back as it is. */
function copyOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Date) return new Date(value);
  if (Buffer.isBuffer(value)) return Buffer.from(value);
  if (Array.isArray(value)) return value.map(copyOf);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return value;
  // structuredClone would lose the operators, which are symbols.
  const entries = Reflect.ownKeys(value).map((key): [PropertyKey, unknown] => [
    key,
    copyOf((value as Record<PropertyKey, unknown>)[key]),
  ]);
  return Object.fromEntries(entries);
}

/**
 * The same text for equal plain data, whatever the order of its properties: batches are made of
 * equal arguments, and of equal keys of `batch`.
 *
 * @throws OptionsError for functions and instances of classes other than Date, Buffer, arrays
 */
export function identityOf(where: string, value: unknown): string {
  switch (typeof value) {
    case 'string':
      return JSON.stringify(value);
    case 'bigint':
      return `${value}n`;
    case 'number':
    case 'boolean':
    case 'undefined':
      return String(value);
    case 'symbol':
      return identityOfSymbol(where, value);
    case 'function':
      break;
    case 'object':
      return identityOfObject(where, value);
  }
  throw new OptionsError(`${where} must be plain data, got ${echo(value)}.`);
}

function identityOfSymbol(where: string, symbol: symbol): string {
  // The operators of Sequelize are registered ones.
  const key = Symbol.keyFor(symbol);
  if (key !== undefined) return `@${JSON.stringify(key)}`;
  throw new OptionsError(`${where} must be plain data, got ${String(symbol)}.`);
}

function identityOfObject(where: string, value: object | null): string {
  if (value === null) return 'null';
  if (value instanceof Date) return `D${value.getTime()}`;
  if (Buffer.isBuffer(value)) return `B${value.toString('hex')}`;
  if (Array.isArray(value)) {
    return `[${value.map((item: unknown) => identityOf(where, item)).join(',')}]`;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (!isRecord(value) || (prototype !== Object.prototype && prototype !== null)) {
    throw new OptionsError(`${where} must be plain data, got ${echo(value)}.`);
  }
  const entries = Reflect.ownKeys(value)
    .map((key) => [identityOf(where, key), (value as Record<PropertyKey, unknown>)[key]] as const)
    .filter(([, item]) => item !== undefined)
    .map(([key, item]) => `${key}:${identityOf(where, item)}`);
  return `{${entries.sort().join(',')}}`;
}
