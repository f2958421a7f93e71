import { QueryTypes, type Sequelize } from 'sequelize';
import type { CatalogQuery } from '../catalog';
import { runInExactFrame } from '../operation';
import { INTERNAL } from './install';

/** Statements of this package itself: on the primary, in no transaction, in nobody's operation. */
export function ownQuery(sequelize: Sequelize): CatalogQuery {
  return (sql) =>
    runInExactFrame(
      {
        operation: undefined,
        resolver: undefined,
        batch: undefined,
        asked: undefined,
        feedsWrite: false,
      },
      () =>
        sequelize.query(sql, {
          type: QueryTypes.SELECT,
          raw: true,
          useMaster: true,
          logging: false,
          transaction: null,
          [INTERNAL]: true,
        } as { type: QueryTypes.SELECT }),
    );
}
