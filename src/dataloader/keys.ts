import type { LoaderKey } from './types';

/**
 * A key as text: drivers give bigint columns as strings and callers write `1` or `'1'`, UUIDs come
 * back in lower case whatever was asked for.
 */
export function keyIdentity(key: LoaderKey, caseless: boolean): string {
  if (key instanceof Date) return key.toISOString();
  if (Buffer.isBuffer(key)) return key.toString('hex');
  const text = String(key);
  return caseless ? text.toLowerCase() : text;
}

export function isKey(value: unknown): value is LoaderKey {
  return (
    ['string', 'number', 'bigint', 'boolean'].includes(typeof value) ||
    value instanceof Date ||
    Buffer.isBuffer(value)
  );
}
