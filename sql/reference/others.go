package reference

var information = Family{Title: "Information", Functions: []Function{
	{Usage: "BENCHMARK(n, a)", Refused: "it computes a value n times to show how long that takes: use EXPLAIN ANALYZE"},
	{Usage: "CHARSET(s)", Gives: "the character set"},
	{Usage: "COERCIBILITY(s)", Gives: "how much its collation counts against another"},
	{Usage: "COLLATION(s)", Gives: "the collation"},
	{Usage: "CONNECTION_ID()", Gives: "the number of the connection", Varies: Session},
	{Usage: "CURRENT_ROLE()", Gives: "the roles that are active", Varies: Session},
	{Usage: "CURRENT_USER()", Gives: "the account", Varies: Session},
	{Usage: "DATABASE(), SCHEMA()", Gives: "the default database"},
	{Usage: "FOUND_ROWS()", Gives: "how many rows the last SELECT had", Varies: Session},
	{Usage: "ICU_VERSION()", Gives: "the version of the Unicode tables"},
	{Usage: "LAST_INSERT_ID()", Gives: "the first AUTO_INCREMENT number of the last INSERT", Varies: Session},
	{Usage: "ROLES_GRAPHML()", Refused: "a picture of the roles: see SHOW GRANTS"},
	{Usage: "ROW_COUNT()", Gives: "how many rows the last statement changed", Varies: Session},
	{Usage: "USER(), SESSION_USER(), SYSTEM_USER()", Gives: "the user as the client named it", Varies: Session},
	{Usage: "VERSION()", Gives: "the version of the server"},
}}

var miscellaneous = Family{Title: "Miscellaneous", Functions: []Function{
	{Usage: "BIN_TO_UUID(bytes, swap)", Gives: "16 bytes as a UUID"},
	{Usage: "DEFAULT(column)", Refused: "inside an expression: write the value, or DEFAULT alone"},
	{Usage: "FORMAT_BYTES(n)", Gives: "a number of bytes for people"},
	{Usage: "FORMAT_PICO_TIME(n)", Gives: "a number of picoseconds for people"},
	{Usage: "INET6_ATON(s)", Gives: "an address as 4 or 16 bytes"},
	{Usage: "INET6_NTOA(bytes)", Gives: "4 or 16 bytes as an address"},
	{Usage: "INET_ATON(s)", Gives: "an IPv4 address as a number"},
	{Usage: "INET_NTOA(n)", Gives: "a number as an IPv4 address"},
	{Usage: "IS_IPV4(s)", Gives: "whether it is an IPv4 address"},
	{Usage: "IS_IPV4_COMPAT(bytes)", Gives: "whether an IPv6 address stands for an IPv4 one (::a.b.c.d)"},
	{Usage: "IS_IPV4_MAPPED(bytes)", Gives: "whether an IPv6 address maps an IPv4 one (::ffff:a.b.c.d)"},
	{Usage: "IS_IPV6(s)", Gives: "whether it is an IPv6 address"},
	{Usage: "IS_UUID(s)", Gives: "whether it is a UUID"},
	{Usage: "NAME_CONST(name, value)", Gives: "the value, as a column of that name"},
	{Usage: "PS_CURRENT_THREAD_ID()", Refused: "there is no Performance Schema: see SHOW PROCESSLIST"},
	{Usage: "PS_THREAD_ID(id)", Refused: "there is no Performance Schema: see SHOW PROCESSLIST"},
	{Usage: "SLEEP(seconds)", Refused: "it would hold a worker that others need: wait in the client"},
	{Usage: "UUID()", Gives: "a random UUID, of version 4", Varies: Row},
	{Usage: "UUID_SHORT()", Gives: "a number that no other call gives", Varies: Row},
	{Usage: "UUID_TO_BIN(s, swap)", Gives: "a UUID as 16 bytes"},
	{Usage: "VALUES(column)", Gives: "what INSERT would have put there, in ON DUPLICATE KEY UPDATE"},
}}

var locking = Family{Title: "Locking", Excluded: "there are no locks to hold by name: use a transaction", Functions: []Function{
	{Usage: "GET_LOCK(name, timeout)"}, {Usage: "IS_FREE_LOCK(name)"}, {Usage: "IS_USED_LOCK(name)"},
	{Usage: "RELEASE_ALL_LOCKS()"}, {Usage: "RELEASE_LOCK(name)"},
}}

var replication = Family{Title: "Replication", Excluded: "there is no binary log to replicate from", Functions: []Function{
	{Usage: "GTID_SUBSET(a, b)"}, {Usage: "GTID_SUBTRACT(a, b)"}, {Usage: "MASTER_POS_WAIT(file, pos)"}, {Usage: "SOURCE_POS_WAIT(file, pos)"},
	{Usage: "WAIT_FOR_EXECUTED_GTID_SET(set)"}, {Usage: "WAIT_UNTIL_SQL_THREAD_AFTER_GTIDS(set)"},
	{Usage: "ASYNCHRONOUS_CONNECTION_FAILOVER_ADD_MANAGED(…)"}, {Usage: "ASYNCHRONOUS_CONNECTION_FAILOVER_ADD_SOURCE(…)"},
	{Usage: "ASYNCHRONOUS_CONNECTION_FAILOVER_DELETE_MANAGED(…)"}, {Usage: "ASYNCHRONOUS_CONNECTION_FAILOVER_DELETE_SOURCE(…)"},
	{Usage: "ASYNCHRONOUS_CONNECTION_FAILOVER_RESET()"}, {Usage: "GROUP_REPLICATION_DISABLE_MEMBER_ACTION(…)"}, {Usage: "GROUP_REPLICATION_ENABLE_MEMBER_ACTION(…)"},
	{Usage: "GROUP_REPLICATION_GET_COMMUNICATION_PROTOCOL()"}, {Usage: "GROUP_REPLICATION_GET_WRITE_CONCURRENCY()"}, {Usage: "GROUP_REPLICATION_RESET_MEMBER_ACTIONS()"},
	{Usage: "GROUP_REPLICATION_SET_AS_PRIMARY(…)"}, {Usage: "GROUP_REPLICATION_SET_COMMUNICATION_PROTOCOL(…)"}, {Usage: "GROUP_REPLICATION_SET_WRITE_CONCURRENCY(…)"},
	{Usage: "GROUP_REPLICATION_SWITCH_TO_MULTI_PRIMARY_MODE()"}, {Usage: "GROUP_REPLICATION_SWITCH_TO_SINGLE_PRIMARY_MODE(…)"},
}}

var xml = Family{Title: "XML", Excluded: "there is no XML", Functions: []Function{{Usage: "EXTRACTVALUE(xml, path)"}, {Usage: "UPDATEXML(xml, path, new)"}}}

var spatialPrefixes = []string{"st_", "mbr"}

var spatial = Family{Title: "Spatial", Excluded: "there are no spatial types", Functions: []Function{
	{Usage: "ST_…(…)"}, {Usage: "MBR…(…)"}, {Usage: "GEOMCOLLECTION(…), GEOMETRYCOLLECTION(…)"}, {Usage: "LINESTRING(…)"}, {Usage: "MULTILINESTRING(…)"},
	{Usage: "MULTIPOINT(…)"}, {Usage: "MULTIPOLYGON(…)"}, {Usage: "POINT(x, y)"}, {Usage: "POLYGON(…)"},
}}

var fullText = Family{Title: "Full text", Excluded: "there are no full-text indexes", Functions: []Function{{Usage: "MATCH (column, …) AGAINST (s)"}}}
