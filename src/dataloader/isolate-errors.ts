import type { Transaction } from 'sequelize';

/** So many keys of a batch that the server can't read are told from the others, wherever they are. */
const BAD_KEYS = 8;

/**
 * Asks for many keys at once. When the server can't read one of them (the class of errors "data
 * exception"), asks again for each half, so that the error reaches no other key. Not inside a
 * transaction, which such an error has ended.
 *
 * A client that sends nothing but garbage is not worth a statement a key: after so many failures
 * all that are not told apart get the error, with a note that it may be of another key.
 */
export function isolateErrors<Key, Value>(
  keys: readonly Key[],
  transaction: Transaction | null,
  ask: (keys: readonly Key[]) => Promise<readonly Value[]>,
): Promise<readonly (Value | Error)[]> {
  // One bad key fails as often as its batch can be halved.
  const most = BAD_KEYS * (Math.ceil(Math.log2(keys.length)) + 1);
  let failures = 0;
  const answer = (some: readonly Key[]): Promise<readonly (Value | Error)[]> =>
    ask(some).then(undefined, async (error: unknown) => {
      if (transaction || !isDataException(error)) throw error;
      failures++;
      if (some.length === 1) return [error];
      if (failures >= most) return new Array<Error>(some.length).fill(ofAnyOf(some, error));
      const middle = Math.ceil(some.length / 2);
      // One after the other: the budget of failures is shared.
      const first = await answer(some.slice(0, middle));
      return [...first, ...(await answer(some.slice(middle)))];
    });
  return answer(keys);
}

/** The server's error, saying that it is about one of several keys. */
function ofAnyOf(keys: readonly unknown[], error: Error): Error {
  error.message += ` (This is about at least one of ${keys.length} keys of a batch: too many others had failed to find out which.)`;
  return error;
}

function isDataException(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  const { code } = (error as { original?: { code?: unknown } }).original ?? {};
  return typeof code === 'string' && code.startsWith('22');
}
