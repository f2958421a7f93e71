import { formatLsn, parseLsn, reachable } from './lsn';
import { FROM_ROLE, WHO, optional, text, whoIsIt, type Evidence, type Reading } from './reading';

// pg_current_wal_* raise an error on a standby, hence CASE. The control file is late about the
// timeline, but never ahead: without the right to see received_tli a standby seems to lag behind a
// failover (until its next restartpoint), and never to have followed one that it did not follow.
const READ = `SELECT ${WHO},
  (SELECT system_identifier::text FROM pg_catalog.pg_control_system()) AS system,
  pg_catalog.current_setting('wal_block_size') AS page,
  CASE WHEN NOT role.standby THEN pg_catalog.pg_current_wal_insert_lsn()::text END AS written,
  CASE WHEN NOT role.standby THEN pg_catalog.pg_current_wal_flush_lsn()::text END AS flushed,
  CASE WHEN NOT role.standby THEN
    pg_catalog.left(pg_catalog.pg_walfile_name(pg_catalog.pg_current_wal_insert_lsn()), 8) END AS writes,
  CASE WHEN role.standby THEN pg_catalog.pg_last_wal_replay_lsn()::text END AS replayed,
  CASE WHEN role.standby THEN greatest(
    (SELECT received_tli FROM pg_catalog.pg_stat_wal_receiver),
    (SELECT timeline_id FROM pg_catalog.pg_control_checkpoint()),
    (SELECT min_recovery_end_timeline FROM pg_catalog.pg_control_recovery()))::text END AS follows
${FROM_ROLE}`;

/**
 * Evidence from positions in the write-ahead log. A sample of the primary's insert position that was
 * sent after a commit was acknowledged lies at or behind that commit (the flush position does not,
 * after an asynchronous commit), so a standby that has replayed up to it shows the commit.
 */
export const positions: Evidence = {
  sampleSql: () => READ,
  readSql: READ,
  // An insert position may lie behind records that nobody has flushed, because their transaction is
  // still open, and standbys are sent flushed WAL only. The commit of this message flushes them: a
  // few dozen bytes of WAL, and nothing where others have flushed by then. 'local', so that it waits
  // for the disk whatever the role's default is, and for no standby.
  flushSql: (position) => `SELECT pg_catalog.set_config('synchronous_commit', 'local', true),
  CASE WHEN pg_catalog.pg_current_wal_flush_lsn() < '${formatLsn(position)}'::pg_catalog.pg_lsn THEN
    pg_catalog.pg_logical_emit_message(true, 'sequelize-fresh-reads', '')::text END`,
  setupSql: undefined,
  cleanupSql: undefined,
  countsBytes: true,
  remedy:
    'grant the role of the application EXECUTE on it, or set freshness.heartbeat ' +
    "(such as { table: 'fresh_reads_heartbeat' }), which needs a table instead",

  parse(row, processId): Reading {
    if (!row) throw new Error('a probe got no row');
    const who = whoIsIt(row, processId);
    const written = optional(row, 'written');
    const replayed = optional(row, 'replayed');
    const flushed = optional(row, 'flushed');
    const writes = optional(row, 'writes');
    const follows = optional(row, 'follows');
    const at = who.standby ? replayed : written;
    return {
      ...who,
      system: text(row, 'system'),
      timeline: who.standby
        ? follows === undefined
          ? undefined
          : Number(follows)
        : writes === undefined
          ? undefined
          : parseInt(writes, 16),
      position:
        at === undefined
          ? undefined
          : who.standby
            ? parseLsn(at)
            : reachable(parseLsn(at), BigInt(text(row, 'page'))),
      flushed: flushed === undefined ? undefined : parseLsn(flushed),
    };
  },
};
