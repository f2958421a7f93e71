import type { Transaction } from 'sequelize';

/** Failed statements a batch, at most: a client that sends nothing but garbage is not worth more. */
const MOST_FAILURES = 24;

/**
 * Asks for many keys at once. When the server can't read one of them (the class of errors "data
 * exception"), asks again for each half, so that the error reaches no other key. Not inside a
 * transaction, which such an error has ended.
 */
export function isolateErrors<Key, Value>(
  keys: readonly Key[],
  transaction: Transaction | null,
  ask: (keys: readonly Key[]) => Promise<readonly Value[]>,
): Promise<readonly (Value | Error)[]> {
  let failures = 0;
  const answer = (some: readonly Key[]): Promise<readonly (Value | Error)[]> =>
    ask(some).then(undefined, async (error: unknown) => {
      if (transaction || !isDataException(error)) throw error;
      if (some.length === 1 || ++failures >= MOST_FAILURES) return some.map(() => error);
      const middle = Math.ceil(some.length / 2);
      // One after the other: the budget of failures is shared.
      const first = await answer(some.slice(0, middle));
      return [...first, ...(await answer(some.slice(middle)))];
    });
  return answer(keys);
}

function isDataException(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  const { code } = (error as { original?: { code?: unknown } }).original ?? {};
  return typeof code === 'string' && code.startsWith('22');
}
