# What other databases and other streaming engines have.
SELECT id, ROW_NUMBER() OVER (ORDER BY id) AS n FROM t QUALIFY n = 1;
-- 1235 (42000): This version of StreamSQL doesn't yet support 'QUALIFY (use WHERE around a derived table)'
SELECT * FROM t PIVOT (SUM(price) FOR name IN ('pen', 'cup'));
-- 1235 (42000): This version of StreamSQL doesn't yet support 'PIVOT'
SELECT * FROM bids MATCH_RECOGNIZE (PARTITION BY bidder ORDER BY ts MEASURES A.price AS p PATTERN (A B) DEFINE B AS B.price > A.price);
-- 1235 (42000): This version of StreamSQL doesn't yet support 'MATCH_RECOGNIZE'
SELECT name ILIKE 'p%' FROM t;
-- 1235 (42000): This version of StreamSQL doesn't yet support 'ILIKE (use LIKE with COLLATE utf8mb4_0900_ai_ci)'
SELECT id FROM t ORDER BY price NULLS LAST;
-- 1235 (42000): This version of StreamSQL doesn't yet support 'NULLS LAST (NULL is the least value; order by x IS NULL before x to have it last)'
SELECT * FROM t TABLESAMPLE BERNOULLI (10);
-- 1235 (42000): This version of StreamSQL doesn't yet support 'TABLESAMPLE'
SELECT id::VARCHAR FROM t;
-- 1235 (42000): This version of StreamSQL doesn't yet support 'the :: cast (use CAST(… AS …))'
SELECT TOP 1 * FROM t;
-- 1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near '1 * FROM t' at line 1 column 12
SELECT DISTINCT ON (name) id FROM t;
-- 1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near 'ON (name) id FROM t' at line 1 column 17
SELECT * EXCLUDE (id) FROM t;
-- 1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near 'EXCLUDE (id) FROM t' at line 1 column 10
SELECT id FROM t GROUP BY ALL;
-- 1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near 'ALL' at line 1 column 27
SELECT ARRAY[1, 2];
-- 1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near 'ARRAY[1, 2]' at line 1 column 8
INSERT INTO t VALUES (3, 'x', 1, NULL, NULL) RETURNING id;
-- 1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near 'RETURNING id' at line 1 column 46
INSERT INTO t VALUES (1, 'x', 1, NULL, NULL) ON CONFLICT DO NOTHING;
-- 1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near 'CONFLICT DO NOTHING' at line 1 column 49
MERGE INTO t USING products p ON t.id = p.id WHEN MATCHED THEN DELETE;
-- 1235 (42000): This version of StreamSQL doesn't yet support 'MERGE'
COPY t FROM 'x.csv';
-- 1235 (42000): This version of StreamSQL doesn't yet support 'COPY'
CREATE TABLE u (id SERIAL PRIMARY KEY, a ARRAY<INT>);
-- 1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near 'ARRAY<INT>)' at line 1 column 42
CREATE TABLE u (id BIGINT GENERATED ALWAYS AS IDENTITY);
-- 1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near 'IDENTITY)' at line 1 column 47
# Flink.
CREATE TABLE u (id INT, ts DATETIME(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND) WITH ('connector' = 'kafka');
-- 1235 (42000): This version of StreamSQL doesn't yet support 'CREATE TABLE … WITH (…)'
CREATE TABLE u (id INT) PARTITIONED BY (id);
-- 1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near 'PARTITIONED BY (id)' at line 1 column 25
CREATE STREAM TABLE u (id INT, ts DATETIME(3), WATERMARK FOR ts AS ts + INTERVAL 5 SECOND);
-- 1235 (42000): This version of StreamSQL doesn't yet support 'WATERMARK FOR ts AS another expression (write AS ts or AS ts - INTERVAL n unit)'
CREATE STREAM TABLE u (id INT, ts DATETIME(3), WATERMARK FOR id AS id - INTERVAL 5 SECOND);
-- 1063 (42000): WATERMARK FOR needs a column of type DATE, DATETIME or TIMESTAMP; 'id' is INT
CREATE STREAM TABLE u (id INT, ts DATETIME(3), WATERMARK FOR nope AS nope);
-- 1054 (42S22): Unknown column 'nope' in 'WATERMARK FOR'
CREATE STREAM TABLE u (id INT, ts DATETIME(3), WATERMARK FOR ts AS id);
-- 1235 (42000): This version of StreamSQL doesn't yet support 'WATERMARK FOR ts AS another expression (write AS ts or AS ts - INTERVAL n unit)'
CREATE STREAM TABLE u (id INT, ts DATETIME(3), WATERMARK FOR ts AS ts - INTERVAL 1 MONTH);
-- 1210 (HY000): The delay of a watermark is in MICROSECOND, SECOND, MINUTE, HOUR, DAY or WEEK, which always last as long; not in MONTH
CREATE STREAM TABLE u (id INT, ts DATETIME(3), WATERMARK FOR ts AS ts, WATERMARK FOR ts AS ts);
-- 1221 (HY000): A stream table has one WATERMARK FOR
CREATE STREAM TABLE u (id INT, ts DATETIME(3), WATERMARK FOR ts);
-- 1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near ')' at line 1 column 64
CREATE STREAM TABLE u (id INT, proc AS PROCTIME());
-- 1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near 'AS PROCTIME())' at line 1 column 37
SELECT * FROM TABLE(TUMBLE(TABLE bids, DESCRIPTOR(nope), INTERVAL '10' SECOND));
-- 1054 (42S22): Unknown column 'nope' in 'window'
SELECT * FROM TABLE(TUMBLE(TABLE bids, DESCRIPTOR(ts, price), INTERVAL '10' SECOND));
-- 1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near ', price), INTERVAL '10' SECOND))' at line 1 column 53; it is TUMBLE(table, time, INTERVAL size [, INTERVAL offset])
SELECT * FROM TABLE(bids);
-- 1235 (42000): This version of StreamSQL doesn't yet support 'TABLE(…) in FROM around anything but a function (there are TUMBLE, HOP, SESSION, CUMULATE, CHANGES and JSON_TABLE)'
SELECT DESCRIPTOR(ts) FROM bids;
-- 1305 (42000): FUNCTION shop.DESCRIPTOR does not exist
EXECUTE STATEMENT SET BEGIN INSERT INTO t SELECT 1; END;
-- 1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near 'END' at line 1 column 53
CREATE CATALOG c WITH ('type' = 'x');
-- 1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near 'CATALOG c WITH ('type' = 'x')' at line 1 column 8
# RisingWave and Materialize.
CREATE SOURCE s (id INT) WITH (connector = 'kafka');
-- 1235 (42000): This version of StreamSQL doesn't yet support 'CREATE SOURCE'
CREATE SINK s FROM sales WITH (connector = 'nats');
-- 1210 (HY000): Unknown connector 'nats'; there are blackhole, file, nexmark
CREATE MATERIALIZED VIEW m AS SELECT bidder FROM bids WITH NO DATA;
-- 1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near 'WITH NO DATA' at line 1 column 55
REFRESH MATERIALIZED VIEW sales;
-- 1235 (42000): This version of StreamSQL doesn't yet support 'REFRESH MATERIALIZED VIEW'
CREATE OR REPLACE MATERIALIZED VIEW sales AS SELECT 1 AS one;
-- 1235 (42000): This version of StreamSQL doesn't yet support 'CREATE OR REPLACE MATERIALIZED VIEW'
ALTER MATERIALIZED VIEW sales SUSPEND;
-- 1235 (42000): This version of StreamSQL doesn't yet support 'ALTER MATERIALIZED VIEW other than SET (option = value) and RENAME TO'
CREATE CONNECTION c TO KAFKA (BROKER 'x');
-- 1235 (42000): This version of StreamSQL doesn't yet support 'CREATE CONNECTION'
CREATE SUBSCRIPTION s FROM sales WITH (retention = '1D');
-- 1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near 'SUBSCRIPTION s FROM sales WITH (retention = '1D')' at line 1 column 8
DECLARE c CURSOR FOR SUBSCRIBE TO sales;
-- 1235 (42000): This version of StreamSQL doesn't yet support 'DECLARE'
SUBSCRIBE (SELECT * FROM sales);
-- 1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near '(SELECT * FROM sales)' at line 1 column 11
# ksqlDB.
CREATE STREAM s (id INT KEY) WITH (kafka_topic = 's', value_format = 'json');
-- 1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near 'STREAM s (id INT KEY) WITH (kafka_topic = 's', value_format = 'json')' at line 1 column 8
SELECT bidder, COUNT(*) FROM bids WINDOW TUMBLING (SIZE 1 HOUR) GROUP BY bidder EMIT CHANGES;
-- 1235 (42000): This version of StreamSQL doesn't yet support 'EMIT CHANGES outside of CREATE MATERIALIZED VIEW: it comes last in a query that stays'
SELECT * FROM sales EMIT CHANGES;
-- 1235 (42000): This version of StreamSQL doesn't yet support 'EMIT CHANGES outside of CREATE MATERIALIZED VIEW: it comes last in a query that stays'
SELECT * FROM sales EMIT FINAL;
-- 1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near 'FINAL' at line 1 column 26
PRINT bids FROM BEGINNING;
-- 1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near 'PRINT bids FROM BEGINNING' at line 1 column 1
LIST STREAMS;
-- 1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near 'LIST STREAMS' at line 1 column 1
TERMINATE q;
-- 1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near 'TERMINATE q' at line 1 column 1
# Promised, and not there yet.
CREATE TEMPORARY STREAM TABLE u (id INT PRIMARY KEY);
-- 1221 (HY000): Incorrect usage of TEMPORARY and PRIMARY KEY: a temporary stream table keeps no rows that others could replace
CREATE CONTINUOUS QUERY q INTO clicks AS SELECT name, id FROM t;
-- 1210 (HY000): 'shop.clicks' cannot take the result of the query: that takes rows back (Source shop.t (id, name)), and without a PRIMARY KEY they are not found there
CREATE RESOURCE GROUP etl CPU = 2.0;
-- 1235 (42000): This version of StreamSQL doesn't yet support 'CREATE RESOURCE GROUP'
