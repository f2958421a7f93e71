import { QueryTypes, Sequelize, type Options } from 'sequelize';
import { freshReads } from '../../src';
import { freshReadsMiddleware } from '../../src/http';
import { serve } from '../support/http';

/** A service of its own, that shares nothing with its parent but the secret: GET counts the rows. */
async function main(): Promise<void> {
  const [options = '', secret = ''] = process.argv.slice(2);
  const sequelize = new Sequelize(JSON.parse(options) as Options);
  const reads = freshReads(sequelize, { sessionSecret: secret });
  await reads.ready();
  const middleware = freshReadsMiddleware(reads);
  const count = async () => {
    const [row] = await sequelize.query<{ n: number; standby: boolean }>(
      'SELECT count(*)::int AS n, pg_is_in_recovery() AS standby FROM things',
      { type: QueryTypes.SELECT },
    );
    return { ...row, tokens: reads.status().tokens };
  };
  const server = await serve((req, res) =>
    middleware(req, res, () => {
      void count().then((counted) => res.end(JSON.stringify(counted)));
    }),
  );
  process.on('disconnect', () => {
    void server
      .close()
      .then(() => sequelize.close())
      .then(() => process.exit());
  });
  process.send?.(server.url);
}

void main();
