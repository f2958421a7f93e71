import type { FunctionName } from './types';

/**
 * Built-in functions that change nothing, run no SQL from a string, take no lock, and neither read
 * nor move what is kept outside of tables (sequences, large objects, replication, sizes,
 * statistics, the catalog by name). All of them answer on a standby as they do on a primary; those
 * that tell about the node itself are in here because asking the replica is then the point.
 */
const NAMES = [
  // aggregates and window functions
  `any_value array_agg avg bit_and bit_or bit_xor bool_and bool_or corr count covar_pop
    covar_samp cume_dist dense_rank every first_value json_agg json_agg_strict json_object_agg
    json_object_agg_strict json_object_agg_unique json_object_agg_unique_strict jsonb_agg
    jsonb_agg_strict jsonb_object_agg jsonb_object_agg_strict jsonb_object_agg_unique
    jsonb_object_agg_unique_strict lag last_value lead max min mode nth_value ntile percent_rank
    percentile_cont percentile_disc range_agg range_intersect_agg rank regr_avgx regr_avgy
    regr_count regr_intercept regr_r2 regr_slope regr_sxx regr_sxy regr_syy row_number stddev
    stddev_pop stddev_samp string_agg sum var_pop var_samp variance xmlagg`,
  // strings, binary strings, regular expressions
  `ascii bit_count bit_length btrim casefold char_length character_length chr concat concat_ws
    convert convert_from convert_to crc32 crc32c decode encode format get_bit get_byte initcap
    is_normalized left length like_escape lower lpad ltrim md5 normalize octet_length overlay
    parse_ident pg_client_encoding position quote_ident quote_literal quote_nullable regexp_count
    regexp_instr regexp_like regexp_match regexp_matches regexp_replace regexp_split_to_array
    regexp_split_to_table regexp_substr repeat replace reverse right rpad rtrim set_bit set_byte
    sha224 sha256 sha384 sha512 similar_escape similar_to_escape split_part starts_with
    string_to_array string_to_table strpos substr substring to_ascii to_bin to_hex to_oct
    translate unicode_assigned unistr upper`,
  // numbers
  `abs acos acosd acosh asin asind asinh atan atan2 atan2d atand atanh cbrt ceil ceiling cos cosd
    cosh cot cotd degrees div erf erfc exp factorial floor gamma gcd lcm lgamma ln log log10
    min_scale mod pi pow power radians random random_normal round scale sign sin sind sinh sqrt
    tan tand tanh to_number trim_scale trunc width_bucket`,
  // dates and times
  `age clock_timestamp date_add date_bin date_part date_subtract date_trunc extract isfinite
    justify_days justify_hours justify_interval make_date make_interval make_time make_timestamp
    make_timestamptz now overlaps pg_sleep pg_sleep_for pg_sleep_until statement_timestamp
    timeofday timezone to_char to_date to_timestamp transaction_timestamp`,
  // arrays, ranges, rows
  `array_append array_cat array_dims array_fill array_length array_lower array_ndims
    array_position array_positions array_prepend array_remove array_replace array_reverse
    array_sample array_shuffle array_sort array_to_string array_upper cardinality daterange
    datemultirange generate_series generate_subscripts int4multirange int4range int8multirange
    int8range isempty lower_inc lower_inf multirange num_nonnulls num_nulls nummultirange numrange
    range_merge trim_array tsmultirange tsrange tstzmultirange tstzrange unnest upper_inc
    upper_inf`,
  // JSON, XML
  `array_to_json json_array_elements json_array_elements_text json_array_length json_build_array
    json_build_object json_each json_each_text json_extract_path json_extract_path_text
    json_object json_object_keys json_populate_record json_populate_recordset json_strip_nulls
    json_to_record json_to_recordset json_typeof jsonb_array_elements jsonb_array_elements_text
    jsonb_array_length jsonb_build_array jsonb_build_object jsonb_concat jsonb_contained
    jsonb_contains jsonb_delete jsonb_delete_path jsonb_each jsonb_each_text jsonb_exists
    jsonb_exists_all jsonb_exists_any jsonb_extract_path jsonb_extract_path_text jsonb_insert
    jsonb_object jsonb_object_keys jsonb_path_exists jsonb_path_exists_tz jsonb_path_match
    jsonb_path_match_tz jsonb_path_query jsonb_path_query_array jsonb_path_query_array_tz
    jsonb_path_query_first jsonb_path_query_first_tz jsonb_path_query_tz jsonb_populate_record
    jsonb_populate_record_valid jsonb_populate_recordset jsonb_pretty jsonb_set jsonb_set_lax
    jsonb_strip_nulls jsonb_to_record jsonb_to_recordset jsonb_typeof row_to_json to_json to_jsonb
    xml_is_well_formed xml_is_well_formed_content xml_is_well_formed_document xmlcomment xmlexists
    xmltext xpath xpath_exists`,
  // text search
  `array_to_tsvector get_current_ts_config json_to_tsvector jsonb_to_tsvector numnode
    phraseto_tsquery plainto_tsquery querytree setweight strip to_tsquery to_tsvector ts_delete
    ts_filter ts_headline ts_rank ts_rank_cd tsquery_phrase tsvector_to_array websearch_to_tsquery`,
  // network addresses, geometry, identifiers
  `abbrev area bound_box box broadcast center circle diagonal diameter family gen_random_uuid
    height host hostmask inet_merge inet_same_family isclosed isopen lseg masklen netmask network
    npoints path pclose point polygon popen radius set_masklen slope uuid_extract_timestamp
    uuid_extract_version uuidv4 uuidv7 width`,
  // the connection and the node
  `current_database current_schema current_schemas current_setting inet_client_addr
    inet_client_port inet_server_addr inet_server_port pg_backend_pid pg_collation_for
    pg_column_size pg_is_in_recovery pg_last_wal_receive_lsn pg_last_wal_replay_lsn
    pg_last_xact_replay_timestamp pg_postmaster_start_time pg_size_bytes pg_size_pretty pg_typeof
    pg_wal_lsn_diff version`,
];

/** The names of the built-in functions known to be harmless. */
export const HARMLESS_FUNCTIONS: ReadonlySet<string> = new Set(
  NAMES.flatMap((names) => names.split(/\s+/)),
);

/**
 * Whether a function is a built-in one that is known to be harmless. By name only: one of the same
 * name that somebody has defined for other argument types is for the catalog to find.
 */
export function isHarmlessFunction({ schema, name }: FunctionName): boolean {
  return (schema === undefined || schema === 'pg_catalog') && HARMLESS_FUNCTIONS.has(name);
}
