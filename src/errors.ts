/**
 * The errors this package throws. Each carries a stable `code`, and each has a guard that
 * recognises it across two installed copies of the package (where `instanceof` would fail).
 */

export { echo } from './echo';

const brand = Symbol.for('sequelize-fresh-reads.error');

/** Stable, machine-readable names of the errors. */
export type FreshReadsErrorCode =
  'FRESH_READS_OPTIONS' | 'FRESH_READS_REPLICAS_UNAVAILABLE' | 'FRESH_READS_CLUSTER';

/** Base of every error of this package. */
export class FreshReadsError extends Error {
  override readonly name: string = 'FreshReadsError';
  readonly code: FreshReadsErrorCode;

  constructor(code: FreshReadsErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
    Object.defineProperty(this, brand, { value: true });
  }
}

/** A call was made with something it can't work with: the message says what, echoes it and names the fix. */
export class OptionsError extends FreshReadsError {
  override readonly name = 'OptionsError';

  constructor(message: string, options?: { cause?: unknown }) {
    super('FRESH_READS_OPTIONS', message, options);
  }
}

/** No replica could take a read, and the options don't let the primary take it. */
export class ReplicasUnavailableError extends FreshReadsError {
  override readonly name = 'ReplicasUnavailableError';

  constructor(message: string, options?: { cause?: unknown }) {
    super('FRESH_READS_REPLICAS_UNAVAILABLE', message, options);
  }
}

/** A real cluster for tests could not be started, or a node of it did not do what it was told. */
export class ClusterError extends FreshReadsError {
  override readonly name = 'ClusterError';

  constructor(message: string, options?: { cause?: unknown }) {
    super('FRESH_READS_CLUSTER', message, options);
  }
}

/** Whether `error` is a {@link FreshReadsError}, of this copy of the package or of another one. */
export function isFreshReadsError(error: unknown): error is FreshReadsError {
  return typeof error === 'object' && error !== null && brand in error;
}

/** Whether `error` is an {@link OptionsError}, of this copy of the package or of another one. */
export function isOptionsError(error: unknown): error is OptionsError {
  return isFreshReadsError(error) && error.code === 'FRESH_READS_OPTIONS';
}

/** Whether `error` is a {@link ReplicasUnavailableError}, of this copy of the package or of another one. */
export function isReplicasUnavailableError(error: unknown): error is ReplicasUnavailableError {
  return isFreshReadsError(error) && error.code === 'FRESH_READS_REPLICAS_UNAVAILABLE';
}

/** Whether `error` is a {@link ClusterError}, of this copy of the package or of another one. */
export function isClusterError(error: unknown): error is ClusterError {
  return isFreshReadsError(error) && error.code === 'FRESH_READS_CLUSTER';
}
