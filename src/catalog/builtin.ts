/*
 * What the server's own functions do beyond computing a value. The lists were made by going through
 * every function of PostgreSQL 13 to 18 that is declared VOLATILE, and the STABLE ones that take SQL or
 * the name of a relation as text; a test holds them against the servers at hand. A volatile function
 * of a newer server that no list knows counts as one that acts.
 */

/** What a call does that the arguments don't show. */
export interface CallEffect {
  /** Writes, locks, notifies, or changes a session or the server: a call is not a read. */
  readonly acts: boolean;
  /** Gives what only the primary knows, or what each node has its own of. */
  readonly primaryOnly: boolean;
  /** Runs SQL that stands in a string, or reads a relation named in one. */
  readonly hidden: boolean;
  /** Tells something of a relation that an argument names: it may be any. */
  readonly readsAny: boolean;
  /** Names of system relations read. */
  readonly reads: readonly string[];
  /** Names of system relations written. */
  readonly writes: readonly string[];
}

const effect = (parts: Partial<CallEffect>): CallEffect =>
  Object.freeze({
    acts: false,
    primaryOnly: false,
    hidden: false,
    readsAny: false,
    reads: [],
    writes: [],
    ...parts,
  });

export const HARMLESS = effect({});
export const ACTS = effect({ acts: true });
export const PRIMARY_ONLY = effect({ primaryOnly: true });
export const HIDDEN = effect({ hidden: true });
const SIZE = effect({ readsAny: true });
const LARGE_OBJECT_READ = effect({ reads: ['pg_largeobject'] });
const LARGE_OBJECT_WRITE = effect({ acts: true, writes: ['pg_largeobject'] });
/** Works on a descriptor that belongs to one transaction of one connection. */
const LARGE_OBJECT_DESCRIPTOR = effect({ acts: true, reads: ['pg_largeobject'] });

const words = (text: string): readonly string[] => text.trim().split(/\s+/);

const DECIDED: readonly (readonly [CallEffect, readonly string[]])[] = [
  [
    HIDDEN,
    words(`query_to_xml query_to_xmlschema query_to_xml_and_xmlschema
      table_to_xml table_to_xmlschema table_to_xml_and_xmlschema
      schema_to_xml schema_to_xmlschema schema_to_xml_and_xmlschema
      database_to_xml database_to_xmlschema database_to_xml_and_xmlschema
      cursor_to_xml cursor_to_xmlschema ts_stat ts_rewrite currtid currtid2`),
  ],
  [LARGE_OBJECT_READ, words(`lo_get`)],
  [
    LARGE_OBJECT_DESCRIPTOR,
    words(`lo_open lo_close lo_lseek lo_lseek64 lo_tell lo_tell64 loread lo_export`),
  ],
  [
    LARGE_OBJECT_WRITE,
    words(
      `lo_creat lo_create lo_from_bytea lo_import lo_put lo_truncate lo_truncate64 lo_unlink lowrite`,
    ),
  ],
  [
    ACTS,
    words(`nextval setval set_config setseed txid_current pg_current_xact_id pg_notify pg_export_snapshot
      pg_advisory_lock pg_advisory_lock_shared pg_advisory_unlock pg_advisory_unlock_all pg_advisory_unlock_shared
      pg_advisory_xact_lock pg_advisory_xact_lock_shared pg_try_advisory_lock pg_try_advisory_lock_shared
      pg_try_advisory_xact_lock pg_try_advisory_xact_lock_shared
      pg_cancel_backend pg_terminate_backend pg_reload_conf pg_rotate_logfile pg_rotate_logfile_old pg_promote
      pg_log_backend_memory_contexts pg_log_standby_snapshot pg_logical_emit_message
      pg_switch_wal pg_create_restore_point pg_backup_start pg_backup_stop pg_start_backup pg_stop_backup
      pg_wal_replay_pause pg_wal_replay_resume
      pg_create_logical_replication_slot pg_create_physical_replication_slot pg_copy_logical_replication_slot
      pg_copy_physical_replication_slot pg_drop_replication_slot pg_replication_slot_advance pg_sync_replication_slots
      pg_logical_slot_get_binary_changes pg_logical_slot_get_changes
      pg_replication_origin_advance pg_replication_origin_create pg_replication_origin_drop
      pg_replication_origin_session_reset pg_replication_origin_session_setup
      pg_replication_origin_xact_reset pg_replication_origin_xact_setup
      pg_stat_clear_snapshot pg_stat_force_next_flush pg_stat_reset pg_stat_reset_backend_stats
      pg_stat_reset_replication_slot pg_stat_reset_shared pg_stat_reset_single_function_counters
      pg_stat_reset_single_table_counters pg_stat_reset_slru pg_stat_reset_subscription_stats
      pg_clear_attribute_stats pg_clear_relation_stats pg_restore_attribute_stats pg_restore_relation_stats
      pg_import_system_collations pg_extension_config_dump pg_nextoid pg_stop_making_pinned_objects
      brin_desummarize_range brin_summarize_new_values brin_summarize_range gin_clean_pending_list
      binary_upgrade_add_sub_rel_state binary_upgrade_create_empty_extension
      binary_upgrade_logical_slot_has_caught_up binary_upgrade_replorigin_advance
      binary_upgrade_set_missing_value binary_upgrade_set_next_array_pg_type_oid
      binary_upgrade_set_next_heap_pg_class_oid binary_upgrade_set_next_heap_relfilenode
      binary_upgrade_set_next_index_pg_class_oid binary_upgrade_set_next_index_relfilenode
      binary_upgrade_set_next_multirange_array_pg_type_oid binary_upgrade_set_next_multirange_pg_type_oid
      binary_upgrade_set_next_pg_authid_oid binary_upgrade_set_next_pg_enum_oid
      binary_upgrade_set_next_pg_tablespace_oid binary_upgrade_set_next_pg_type_oid
      binary_upgrade_set_next_toast_pg_class_oid binary_upgrade_set_next_toast_pg_type_oid
      binary_upgrade_set_next_toast_relfilenode binary_upgrade_set_record_init_privs`),
  ],
  [
    PRIMARY_ONLY,
    words(`currval lastval pg_sequence_last_value pg_get_sequence_data
      pg_current_wal_flush_lsn pg_current_wal_insert_lsn pg_current_wal_lsn pg_walfile_name pg_walfile_name_offset
      pg_current_snapshot txid_current_snapshot pg_current_xact_id_if_assigned txid_current_if_assigned
      pg_xact_status txid_status pg_last_committed_xact pg_xact_commit_timestamp pg_xact_commit_timestamp_origin
      pg_get_multixact_members pg_prepared_xact pg_lock_status pg_blocking_pids pg_safe_snapshot_blocking_pids
      pg_isolation_test_session_is_blocked pg_cursor pg_prepared_statement pg_listening_channels
      pg_notification_queue_usage pg_get_replication_slots pg_show_replication_origin_status
      pg_replication_origin_progress pg_replication_origin_session_is_setup pg_replication_origin_session_progress
      pg_logical_slot_peek_binary_changes pg_logical_slot_peek_changes
      pg_control_checkpoint pg_control_init pg_control_recovery pg_control_system
      pg_available_wal_summaries pg_wal_summary_contents pg_get_wal_summarizer_state
      pg_get_aios pg_get_backend_memory_contexts pg_get_shmem_allocations pg_get_shmem_allocations_numa
      pg_hba_file_rules pg_ident_file_mappings pg_show_all_file_settings pg_current_logfile pg_stat_file
      pg_read_binary_file pg_read_file pg_read_file_old pg_ls_archive_statusdir pg_ls_dir pg_ls_logdir
      pg_ls_logicalmapdir pg_ls_logicalsnapdir pg_ls_replslotdir pg_ls_summariesdir pg_ls_tmpdir pg_ls_waldir
      pg_tablespace_databases pg_stat_have_stats`),
  ],
  [
    // Of relations, which every write to them changes.
    SIZE,
    words(
      `pg_database_size pg_indexes_size pg_relation_size pg_table_size pg_tablespace_size pg_total_relation_size`,
    ),
  ],
  [
    HARMLESS,
    // Values that differ from call to call, versions, questions to the very node that answers,
    // and entry points of the server that no statement can call with effect.
    words(`clock_timestamp timeofday random random_normal gen_random_uuid uuidv4 uuidv7 array_sample array_shuffle
      current_query pg_sleep pg_sleep_for pg_sleep_until pg_jit_available pg_get_loaded_modules pg_get_wait_events
      pg_collation_actual_version pg_database_collation_actual_version pg_get_wal_resource_managers
      pg_partition_ancestors pg_partition_tree
      pg_is_in_recovery pg_is_wal_replay_paused pg_get_wal_replay_pause_state pg_last_wal_receive_lsn
      pg_last_wal_replay_lsn pg_last_xact_replay_timestamp
      amvalidate bernoulli system brinhandler bthandler ginhandler gisthandler hashhandler spghandler
      heap_tableam_handler dsnowball_init dsnowball_lexize plpgsql_call_handler plpgsql_inline_handler
      plpgsql_validator`),
  ],
];

const effects = new Map<string, CallEffect>(
  DECIDED.flatMap(([decided, names]) => names.map((name) => [name, decided] as const)),
);

/** Names of the functions of the server that may change a table. */
export const writingBuiltins: readonly string[] = [...effects]
  .filter(([, { hidden, writes }]) => hidden || writes.length > 0)
  .map(([name]) => name);

/** Counters and activity: each node has its own. */
const STATISTICS = 'pg_stat_get_';

/** What is decided for a function of schema pg_catalog; undefined: on no list. */
export function decidedEffect(name: string): CallEffect | undefined {
  return effects.get(name) ?? (name.startsWith(STATISTICS) ? PRIMARY_ONLY : undefined);
}

/** What a function of the server itself does. `volatile`: as it is declared. */
export function builtinEffect(name: string, volatile: boolean): CallEffect {
  return decidedEffect(name) ?? (volatile ? ACTS : HARMLESS);
}
