import { isFreshReadsError } from 'sequelize-fresh-reads';
import { ConfigError, readConfig, type Config } from './config';
import { openDatabase } from './database';
import { tryPort } from './listen';
import { onStopSignal } from './signals';
import { startExample } from './start';

const say = (line: string) => void process.stdout.write(`${line}\n`);

async function main(): Promise<void> {
  const config = readConfig(process.env);
  const stopAsked = onStopSignal(() => say('stopping (Ctrl-C again: at once)'));
  introduce(config);
  await tryPort(config.host, config.port);
  const database = await openDatabase(config.database);
  try {
    for (const { name, url } of database.nodes) say(`node    ${name}  ${url}`);
    const example = await startExample({ ...config, database, log: say });
    try {
      say(`ready   GraphQL   ${example.url}/graphql`);
      if (config.development) say(`ready   GraphiQL  ${example.url}/`);
      say('ready   Ctrl-C stops it');
      await stopAsked;
    } finally {
      await example.stop();
    }
  } finally {
    await database.stop();
  }
  say('stopped');
}

function introduce({ database, routing }: Config): void {
  say(
    database.kind === 'embedded'
      ? `start   a PostgreSQL primary and ${database.replicas} replica(s), ${database.lagMs} ms behind`
      : 'start   with the databases of DATABASE_URL and REPLICA_URLS',
  );
  say(
    routing === 'enforce'
      ? 'start   fresh reads on: every operation sees its own writes'
      : `start   fresh reads OFF: Sequelize's own replication, expect stale answers`,
  );
}

main().catch((error: unknown) => {
  // What the user can put right is said in a line; anything else comes with its trace.
  if (error instanceof ConfigError || isFreshReadsError(error)) {
    console.error(`error   ${error.message}`);
  } else {
    console.error(error);
  }
  process.exitCode = 1;
});
