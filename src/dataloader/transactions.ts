import { Sequelize, type Transaction } from 'sequelize';
import { OptionsError, echo } from '../errors';
import { isRecord } from '../validate';

/** The part of a CLS namespace that Sequelize uses, and where it keeps it. */
export interface Namespace {
  get(name: string): unknown;
  set(name: string, value: unknown): unknown;
  run(fn: () => void): unknown;
}

/** `undefined` where `Sequelize.useCLS` was not called. */
export function namespaceOf(sequelize: Sequelize | undefined): Namespace | undefined {
  const owner = (sequelize?.constructor ?? Sequelize) as unknown as { _cls?: Namespace };
  return owner._cls;
}

/** By what it can do: the application may have another copy of Sequelize. */
export function isTransaction(value: unknown): boolean {
  if (!isRecord(value)) return false;
  return typeof value['commit'] === 'function' && typeof value['rollback'] === 'function';
}

/** @throws OptionsError when `value` is neither a transaction nor null (or undefined) */
export function assertTransaction(where: string, value: unknown): void {
  if (value === null || value === undefined || isTransaction(value)) return;
  const fix = isRecord(value) && 'then' in value ? '; await it first' : '';
  throw new OptionsError(
    `${where} a transaction of sequelize.transaction() or null, got ${echo(value)}${fix}.`,
  );
}

/** The transaction that `Sequelize.useCLS` has put around the running code. */
export function ambientTransaction(namespace: Namespace | undefined): Transaction | null {
  const found = namespace?.get('transaction') as Transaction | undefined;
  return found ?? null;
}

/**
 * Runs `fn` with `transaction` as the ambient one. A batch runs in the context of whichever load
 * came first, which may be inside another transaction than its keys are.
 */
export function runWithTransaction<T>(
  sequelize: Sequelize | undefined,
  transaction: Transaction | null,
  fn: () => Promise<T>,
): Promise<T> {
  const namespace = namespaceOf(sequelize);
  if (!namespace) return fn();
  let running: Promise<T> | undefined;
  namespace.run(() => {
    namespace.set('transaction', transaction);
    running = fn();
  });
  return running ?? fn();
}
