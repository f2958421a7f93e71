import { later } from '../clock';

export interface Bounds<T> {
  readonly ms: number;
  /** Gives up as soon as it is aborted. */
  readonly signal?: AbortSignal;
  /** Takes what comes too late: a connection wants to be closed. */
  readonly late?: (value: T) => void;
  /** Default {@link later}. */
  readonly timer?: typeof later;
}

/**
 * `promise`, or a rejection when that takes too long: a frozen server never answers. A rejection
 * that comes too late is swallowed.
 */
export function bounded<T>(
  promise: Promise<T>,
  { ms, signal, late, timer = later }: Bounds<T>,
): Promise<T> {
  return new Promise((resolve, reject) => {
    let over = false;
    const end = () => {
      over = true;
      timeout.cancel();
      signal?.removeEventListener('abort', abort);
    };
    const giveUp = (reason: string) => {
      end();
      reject(new Error(reason));
    };
    const abort = () => giveUp('given up');
    const timeout = timer(ms, () => giveUp(`no answer within ${ms} ms`));
    signal?.addEventListener('abort', abort);
    promise.then(
      (value) => {
        if (over) return late?.(value);
        end();
        resolve(value);
      },
      (error: unknown) => {
        end();
        reject(error instanceof Error ? error : new Error(String(error)));
      },
    );
  });
}

/**
 * Classes of SQLSTATE by which a server says that this role or this server can't do what was asked:
 * access rule violation, feature not supported, transaction state, prerequisite state.
 */
const REFUSALS = /^(42|0A|25|55)[0-9A-Z]{3}$/;

/** Whether a server has answered, with a no: then the connection is good. */
export function isRefusal(error: unknown): error is Error & { readonly code: string } {
  if (typeof error !== 'object' || error === null || !('code' in error)) return false;
  return typeof error.code === 'string' && REFUSALS.test(error.code);
}

/** SQLSTATE undefined_table. */
export const NO_TABLE = '42P01';
