import { Sequelize, type Transaction } from 'sequelize';

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
