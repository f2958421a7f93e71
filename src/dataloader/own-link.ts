import type { InstanceInternals } from '../sequelize';
import type { Row } from './place';

/**
 * A row is reloaded by the options that it was read with, and those of a batch ask for the links of
 * all its sources: gives the rows of one source a condition on that one alone.
 *
 * @param as the name under which the rows have their link
 */
export function keepOwnLink(rows: readonly Row[], as: string, where: unknown): void {
  let own: InstanceInternals['_options']['include'];
  for (const row of rows) {
    // Raw rows are not reloaded.
    if (!row.dataValues) return;
    const instance = row as unknown as InstanceInternals;
    own ??= instance._options.include?.map((one) => (one.as === as ? { ...one, where } : one));
    instance._options.include = own;
  }
}
