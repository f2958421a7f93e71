import type { CatalogQuery } from '../catalog';
import type { SequelizeInternals } from './internals';
import { Route } from './route';

/**
 * Statements of this package itself: on the primary, in no transaction and nobody's operation. They
 * go past `sequelize.query`, so that hooks and logs of the application don't see what it did not ask
 * for; and not to the pool for writes where there is a choice, since transactions that hold all of
 * it may be waiting for what is found out here.
 */
export function ownQuery(instance: SequelizeInternals, hasPools: () => boolean): CatalogQuery {
  return async (sql) => {
    const { pool } = instance.connectionManager;
    const connection = await pool.acquire(undefined, hasPools() ? Route.toPrimary() : true);
    try {
      return (await connection.query(sql)).rows;
    } finally {
      pool.release(connection);
    }
  };
}
