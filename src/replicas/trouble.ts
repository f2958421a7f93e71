import { meaningOf } from './failures';
import type { Admission, ReadRefusal, Trouble } from './types';

/** Inside the pool: the node can't give a connection. */
export class Unavailable extends Error {
  constructor(readonly refusal: ReadRefusal) {
    super(`${refusal.node} is not available: ${refusal.because}`);
  }
}

/** A connection came about, and is not to serve. */
export class NotAdmitted extends Error {
  constructor(readonly answer: Exclude<Admission, true>) {
    super(answer === 'primary' ? 'this replica is the primary itself' : 'not admitted');
  }
}

/** What the failure of a connect, or of the admission after it, says of the node. */
export function troubleOf(error: unknown): Trouble {
  if (error instanceof NotAdmitted) {
    return error.answer === 'primary' ? 'is-primary' : 'not-admitted';
  }
  return meaningOf(error).node === 'silent' ? 'no-answer' : 'connect-failed';
}
