import type { Sequelize, Transaction } from 'sequelize';
import type { Models } from '../models';
import { fill } from './fill';
import type { Progress } from './in-chunks';
import type { SeedSize } from './size';

/**
 * Makes the tables that are missing, and fills them if all are empty: in one transaction, so that a
 * seed broken off leaves nothing behind. Nothing that exists is changed. Always the same rows.
 * @returns whether it has filled them
 */
export async function prepareTables(
  sequelize: Sequelize,
  models: Models,
  size: SeedSize,
  progress: Progress,
): Promise<boolean> {
  await sequelize.sync();
  return sequelize.transaction(async (transaction) => {
    if (!(await areEmpty(models, transaction))) return false;
    await fill(models, size, progress, transaction);
    return true;
  });
}

// Every other table refers to one of these.
async function areEmpty({ User, Neighbourhood }: Models, transaction: Transaction) {
  const users = await User.count({ transaction });
  const neighbourhoods = await Neighbourhood.count({ transaction });
  return users + neighbourhoods === 0;
}
