import { OptionsError, echo } from '../errors';
import { SESSION_KEYS, assertRequestId } from '../transport';
import { isRecord, rejectUnknownKeys } from '../validate';

/**
 * Checks what the plugins for GraphQL servers have in common; the options of sessions have a check
 * of their own.
 *
 * @throws OptionsError naming the option that is wrong
 */
export function assertPluginOptions(where: string, options: unknown): void {
  if (!isRecord(options)) {
    throw new OptionsError(
      `${where}(reads, options): options must be an object, got ${echo(options)}.`,
    );
  }
  rejectUnknownKeys(where, options, ['exposeDecisions', 'requestId', ...SESSION_KEYS]);
  const { exposeDecisions, requestId } = options;
  if (exposeDecisions !== undefined && typeof exposeDecisions !== 'boolean') {
    throw new OptionsError(
      `${where}: exposeDecisions must be true or false, got ${echo(exposeDecisions)}.`,
    );
  }
  assertRequestId(where, requestId);
}
