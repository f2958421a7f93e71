import type { Field, Ledger, Operation } from '../operation';
import type { TablesOf } from './tables-seen';

/** What one batch has read. */
export interface ReadRows {
  readonly values: readonly unknown[];
  /** The logical time at which the batch was sent. */
  readonly asOf: number;
  readonly tables: TablesOf;
  /** The top-level fields that it was decided for. */
  readonly fields: readonly (Field | undefined)[];
}

/** Whether nothing was written since to the tables that were read, or to any if they are not known. */
export function isCurrent(
  ledger: Ledger,
  operation: Operation | undefined,
  { asOf, tables }: Pick<ReadRows, 'asOf' | 'tables'>,
): boolean {
  if (!operation) return false;
  return (
    !ledger.touchedSince(asOf, undefined, operation) ||
    !ledger.touchedSince(asOf, tables(), operation)
  );
}
