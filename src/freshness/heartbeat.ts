import { randomUUID } from 'node:crypto';
import {
  FROM_ROLE,
  WHO,
  optional,
  whoIsIt,
  type Evidence,
  type Reading,
  type Row,
} from './reading';

/** How the heartbeat is kept. */
export interface HeartbeatOptions {
  /** Name of the table, `name` or `schema.name`, taken as it is written (case matters). */
  readonly table: string;
}

/**
 * Evidence from a row of our own. Commits become visible on a standby in the order in which the
 * primary made them: a standby that shows the beat k has every commit acknowledged before beat k was
 * sent. Needs no position, no timeline and no function that a managed service may refuse; costs a
 * small write an interval while there are live writes.
 *
 * The number of the beat serves as the position. One row a process, or processes would wait for each
 * other and prove each other's commits.
 */
export class Heartbeat implements Evidence {
  readonly readSql: string;
  readonly flushSql = undefined;
  readonly setupSql: string;
  readonly cleanupSql: string;
  readonly countsBytes = false;
  readonly remedy: string;
  readonly #table: string;
  readonly #process = randomUUID();
  #beat = 0;

  constructor(options: HeartbeatOptions) {
    this.#table = options.table.split('.').map(quote).join('.');
    this.setupSql = `CREATE TABLE IF NOT EXISTS ${this.#table} (
  process uuid PRIMARY KEY,
  beat bigint NOT NULL,
  beaten_at timestamptz NOT NULL
)`;
    this.cleanupSql = `DELETE FROM ${this.#table} WHERE process = '${this.#process}'`;
    this.remedy =
      'let the role of the application SELECT, INSERT, UPDATE and DELETE in the table that this makes: ' +
      this.setupSql.replaceAll(/\s+/g, ' ');
    this.readSql = `SELECT ${WHO},
  (SELECT beat::text FROM ${this.#table} WHERE process = '${this.#process}') AS beat
${FROM_ROLE}`;
  }

  /** The commit waits for the disk whatever the role's default is, and for no standby. */
  sampleSql(): string {
    return `WITH settings AS MATERIALIZED (
  SELECT pg_catalog.set_config('synchronous_commit', 'local', true) AS done
), beaten AS (
  INSERT INTO ${this.#table} AS t (process, beat, beaten_at)
  SELECT '${this.#process}', ${++this.#beat}, pg_catalog.now() FROM settings
  ON CONFLICT (process) DO UPDATE SET beat = excluded.beat, beaten_at = excluded.beaten_at
  RETURNING beat
)
SELECT ${WHO}, (SELECT beat::text FROM beaten) AS beat
${FROM_ROLE}`;
  }

  parse(row: Row | undefined, processId: number | null | undefined): Reading {
    if (!row) throw new Error('a probe got no row');
    const position = BigInt(optional(row, 'beat') ?? 0);
    return {
      ...whoIsIt(row, processId),
      system: undefined,
      timeline: undefined,
      position,
      flushed: position,
    };
  }
}

function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
