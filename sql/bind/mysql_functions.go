package bind

import "strings"

// mysqlFunctions are the functions that MySQL 8.0 and the dialect have. A call
// of one that package builtin has not (yet) is refused by name; any other name
// is no function at all.
var mysqlFunctions = func() map[string]bool {
	m := make(map[string]bool)
	for _, name := range strings.Fields(`
abs acos aes_decrypt aes_encrypt any_value ascii asin atan atan2 avg benchmark bin bin_to_uuid bit_count
bit_length ceil ceiling char char_length character_length charset coercibility collation compress concat concat_ws
conv convert_tz cos cot crc32 curdate current_date current_role current_time current_timestamp curtime date
date_add date_format date_sub datediff day dayname dayofmonth dayofweek dayofyear degrees elt exp export_set
extract extractvalue field find_in_set floor format format_bytes from_base64 from_days from_unixtime get_format
get_lock greatest hex hour ifnull inet6_aton inet6_ntoa inet_aton inet_ntoa insert instr interval is_free_lock
is_ipv4 is_ipv4_compat is_ipv4_mapped is_ipv6 is_used_lock is_uuid isnull json_array json_array_append
json_array_insert json_contains json_contains_path json_depth json_extract json_insert json_keys json_length
json_merge json_merge_patch json_merge_preserve json_object json_overlaps json_pretty json_quote json_remove
json_replace json_schema_valid json_search json_set json_storage_size json_type json_unquote json_valid
json_value last_day lcase least left length ln load_file localtime localtimestamp locate log log10 log2 lower
lpad ltrim make_set makedate maketime md5 member_of microsecond mid minute mod month monthname name_const now
nullif oct octet_length ord period_add period_diff pi pow power quarter quote radians rand random_bytes
regexp_instr regexp_like regexp_replace regexp_substr release_all_locks release_lock repeat replace reverse
right round rpad rtrim sec_to_time second sha sha1 sha2 sign sin sleep soundex space sqrt str_to_date strcmp
subdate substr substring substring_index subtime sysdate tan time time_format time_to_sec timediff timestamp
timestampadd timestampdiff to_base64 to_days to_seconds trim truncate ucase uncompress uncompressed_length
unhex unix_timestamp updatexml upper utc_date utc_time utc_timestamp uuid uuid_short uuid_to_bin
validate_password_strength week weekday weekofyear weight_string year yearweek addtime adddate median
percentile_cont approx_count_distinct approx_percentile first_value last_value grouping
`) {
		m[name] = true
	}
	return m
}()
