import { superuser, type Settings } from './data-directory';

/** What every node is set to, before the caller's own settings. */
export function commonSettings(replicas: number): Settings {
  return {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    // Data needn't survive a power cut. Commits still wait for the WAL as they always do:
    // synchronous_commit stays on.
    fsync: false,
    shared_buffers: '16MB',
    // Shared memory of the system would stay behind after a killed server; files go with the folder.
    dynamic_shared_memory_type: 'mmap',
    wal_level: 'replica',
    // A standby that was stopped for a while still finds what it missed.
    wal_keep_size: '1GB',
    hot_standby: true,
    hot_standby_feedback: false,
    wal_receiver_status_interval: '1s',
    wal_retrieve_retry_interval: '100ms',
    // A standby refuses to start when one of these is below its primary's.
    max_connections: 100,
    max_wal_senders: Math.max(10, 2 * replicas + 2),
    max_prepared_transactions: 20,
  };
}

/** What makes a node a standby of the primary on `primaryPort`. */
export function standbySettings(
  name: string,
  primaryPort: number,
  password: string,
  lagMs: number,
): Settings {
  return {
    primary_conninfo: `host=127.0.0.1 port=${primaryPort} user=${superuser} password=${password} application_name=${name}`,
    recovery_min_apply_delay: lagMs,
  };
}
