import { OptionsError } from './errors';

export type SessionSecrets = readonly [string, ...string[]];

const FEWEST_CHARACTERS = 16;

/**
 * The option `sessionSecret`: the one that signs, and those that are still honoured.
 *
 * @throws OptionsError for anything but texts that are not empty
 */
export function sessionSecret(value: unknown): SessionSecrets | undefined {
  if (value === undefined) return undefined;
  const secrets: readonly unknown[] = Array.isArray(value) ? value : [value];
  const [first, ...older] = secrets;
  if (isSecret(first) && older.every(isSecret)) return [first, ...older];
  // Never echoed: a secret in a log is none.
  throw new OptionsError(
    'sessionSecret must be a string that is not empty, or an array of them with the current one first; ' +
      `got ${Array.isArray(value) ? `an array of ${secrets.map((secret) => typeof secret).join(', ') || 'nothing'}` : typeof value}.`,
  );
}

/** What is worth a warning in the options as they were given: taken, but hardly what was meant. */
export function secretWarning(
  given: { readonly sessionSecret?: unknown },
  secrets: SessionSecrets | undefined,
): string | undefined {
  if (!secrets) {
    if (!('sessionSecret' in given)) return undefined;
    return (
      'sessionSecret is given, but undefined: is an environment variable not set? There are no ' +
      "session tokens, so a client's next request may miss what this one writes. " +
      'Set it to a long random string, or leave the option out.'
    );
  }
  if (secrets.every(({ length }) => length >= FEWEST_CHARACTERS)) return undefined;
  return (
    `sessionSecret has fewer than ${FEWEST_CHARACTERS} characters: who guesses it can forge ` +
    'session tokens. Give a long random string, such as `openssl rand -base64 32` prints.'
  );
}

function isSecret(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
