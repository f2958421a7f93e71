import { OptionsError, echo } from '../errors';

/** @throws OptionsError when the option `requestId` is given and no function */
export function assertRequestId(where: string, requestId: unknown): void {
  if (requestId === undefined || typeof requestId === 'function') return;
  throw new OptionsError(
    `${where}: requestId must be a function that returns the id, got ${echo(requestId)}.`,
  );
}

/** What names an operation: an id that is worth something, or nothing, and then one is made. */
export function namedBy(id: unknown): { readonly id?: string } {
  if (typeof id === 'number') return { id: String(id) };
  return typeof id === 'string' && id !== '' ? { id } : {};
}
