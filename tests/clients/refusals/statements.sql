# CREATE, DROP and ALTER that cannot be.
CREATE DATABASE shop;
-- 1007 (HY000): Can't create database 'shop'; database exists
DROP DATABASE nope;
-- 1008 (HY000): Can't drop database 'nope'; database doesn't exist
USE nope;
-- 1049 (42000): Unknown database 'nope'
CREATE TABLE t (id INT);
-- 1050 (42S01): Table 't' already exists
CREATE TABLE bids (id INT);
-- 1050 (42S01): Table 'bids' already exists
CREATE TABLE sales (id INT);
-- 1050 (42S01): Table 'sales' already exists
CREATE VIEW t AS SELECT 1 AS one;
-- 1050 (42S01): Table 't' already exists
CREATE VIEW cheap AS SELECT 1 AS one;
-- 1050 (42S01): Table 'cheap' already exists
CREATE OR REPLACE VIEW t AS SELECT 1 AS one;
-- 1347 (HY000): 'shop.t' is not VIEW
CREATE MATERIALIZED VIEW sales AS SELECT 1 AS one;
-- 1050 (42S01): Table 'sales' already exists
CREATE STREAM TABLE bids (id INT);
-- 1050 (42S01): Table 'bids' already exists
CREATE TABLE u (id INT, ID INT);
-- 1060 (42S21): Duplicate column name 'ID'
CREATE TABLE u (id INT PRIMARY KEY, PRIMARY KEY (id));
-- 1068 (42000): Multiple primary key defined
CREATE TABLE u (id INT, KEY k (id), KEY k (id));
-- 1061 (42000): Duplicate key name 'k'
CREATE TABLE u (id INT, PRIMARY KEY (nope));
-- 1072 (42000): Key column 'nope' doesn't exist in table
CREATE TABLE u (id INT, KEY (nope));
-- 1072 (42000): Key column 'nope' doesn't exist in table
CREATE TABLE u (id INT, KEY (id, id));
-- 1060 (42S21): Duplicate column name 'id'
CREATE TABLE u ();
-- 1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near ')' at line 1 column 17
CREATE TABLE u (id NOPE);
-- 1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near 'NOPE)' at line 1 column 20
CREATE TABLE u (d DECIMAL(66, 2));
-- 1426 (42000): Too-big precision 66 specified for 'd'. Maximum is 65.
CREATE TABLE u (d DECIMAL(40, 35));
-- 1425 (42000): Too big scale 35 specified for column 'd'. Maximum is 30.
CREATE TABLE u (d DECIMAL(2, 5));
-- 1427 (42000): For float(M,D), double(M,D) or decimal(M,D), M must be >= D (column 'd').
CREATE TABLE u (at DATETIME(7));
-- 1426 (42000): Too-big precision 7 specified for 'at'. Maximum is 6.
CREATE TABLE u (s VARCHAR(70000));
-- 1074 (42000): Column length too big for column 's' (max = 16383); use BLOB or TEXT instead
CREATE TABLE u (s VARCHAR);
-- 1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near ')' at line 1 column 26
CREATE TABLE u (s CHAR(300));
-- 1074 (42000): Column length too big for column 's' (max = 255); use BLOB or TEXT instead
CREATE TABLE u (e ENUM('a', 'a'));
-- 1291 (HY000): Column 'e' has duplicated value 'a' in ENUM
CREATE TABLE u (id INT DEFAULT 'x');
-- 1067 (42000): Invalid default value for 'id'
CREATE TABLE u (id INT NOT NULL DEFAULT NULL);
-- 1067 (42000): Invalid default value for 'id'
CREATE TABLE u (doc JSON DEFAULT '{}');
-- 1101 (42000): BLOB, TEXT, GEOMETRY or JSON column 'doc' can't have a default value
CREATE TABLE u (doc JSON PRIMARY KEY);
-- 3152 (42000): JSON column 'doc' supports indexing only via generated columns on a specified JSON path.
CREATE TABLE u (a INT AUTO_INCREMENT);
-- 1075 (42000): Incorrect table definition; there can be only one auto column and it must be defined as a key
CREATE TABLE u (a INT AS (b + 1));
-- 1054 (42S22): Unknown column 'b' in 'generated column function'; did you mean 'a'?
CREATE TABLE u (a INT, b INT AS (RAND()));
-- 3102 (HY000): Expression of generated column 'b' contains a disallowed function.
CREATE TABLE u (a INT, b INT AS (a) DEFAULT 1);
-- 1221 (HY000): Incorrect usage of DEFAULT and generated column
CREATE TABLE u (s VARCHAR(10) CHARACTER SET koi8u);
-- 1115 (42000): Unknown character set: 'koi8u'
CREATE TABLE u (s VARCHAR(10) COLLATE nope);
-- 1273 (HY000): Unknown collation: 'nope'
CREATE TABLE nope.u (id INT);
-- 1049 (42000): Unknown database 'nope'
CREATE TABLE u LIKE nope;
-- 1235 (42000): This version of StreamSQL doesn't yet support 'CREATE TABLE … LIKE'
CREATE VIEW m (a, b) AS SELECT 1;
-- 1353 (HY000): In definition of view, derived table or common table expression, SELECT list and column names list have different column counts
CREATE VIEW m AS SELECT 1 AS a, 2 AS a;
-- 1060 (42S21): Duplicate column name 'a'
CREATE VIEW m AS SELECT nope FROM t;
-- 1054 (42S22): Unknown column 'nope' in 'field list'; did you mean 'name'?
CREATE MATERIALIZED VIEW m (a, b) AS SELECT id FROM t;
-- 1353 (HY000): In definition of view, derived table or common table expression, SELECT list and column names list have different column counts
CREATE MATERIALIZED VIEW m AS SELECT id, id FROM t;
-- 1060 (42S21): Duplicate column name 'id'
CREATE MATERIALIZED VIEW m AS SELECT nme FROM t;
-- 1054 (42S22): Unknown column 'nme' in 'field list'; did you mean 'name'?
CREATE MATERIALIZED VIEW m AS SELECT * FROM m;
-- 1146 (42S02): Table 'shop.m' doesn't exist; did you mean 't'?
CREATE MATERIALIZED VIEW m AS SELECT * FROM CHANGES(sales, 0);
-- 1235 (42000): This version of StreamSQL doesn't yet support 'CHANGES(…) in a view'
CREATE MATERIALIZED VIEW m AS SELECT * FROM sales AS OF BATCH 1;
-- 1235 (42000): This version of StreamSQL doesn't yet support 'AS OF here (AS OF BATCH n or AS OF TIMESTAMP t belongs at the end of a SELECT)'
CREATE MATERIALIZED VIEW m AS SELECT * FROM streamsql.jobs;
-- 1235 (42000): This version of StreamSQL doesn't yet support 'a system view in a materialized view'
CREATE MATERIALIZED VIEW m AS SELECT * FROM information_schema.tables;
-- 1235 (42000): This version of StreamSQL doesn't yet support 'a system view in a materialized view'
CREATE MATERIALIZED VIEW m AS INSERT INTO t VALUES (1);
-- 1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near 'INSERT INTO t VALUES (1)' at line 1 column 31
CREATE STREAM TABLE u (k INT) WITH (partitions = 'many');
-- 1210 (HY000): partitions is a number from 1 to 1024, not 'many'
CREATE STREAM TABLE u (k INT) WITH (partitions = 0);
-- 1210 (HY000): partitions is a number from 1 to 1024, not '0'
CREATE STREAM TABLE u (k INT) WITH (partitons = '2');
-- 1210 (HY000): Unknown option 'partitons' in WITH; known here: partitions, idle_timeout, retention
CREATE STREAM TABLE u (k INT) WITH (partitions = 1, partitions = 2);
-- 1225 (HY000): Option 'partitions' used twice in statement
CREATE STREAM TABLE u (k INT) WITH (connector = 'nope');
-- 1210 (HY000): Unknown connector 'nope'; there are blackhole, file, nexmark
CREATE STREAM TABLE u (k INT) WITH (retention = 'long');
-- 1210 (HY000): retention is for how long a stream keeps its rows, such as '7 days', not 'long'
CREATE STREAM TABLE u (k INT, UNIQUE KEY (k));
-- 1235 (42000): This version of StreamSQL doesn't yet support 'UNIQUE in a stream table'
CREATE STREAM TABLE u AS SELECT 1;
-- 1235 (42000): This version of StreamSQL doesn't yet support 'CREATE STREAM TABLE … AS SELECT'
CREATE UNIQUE INDEX by_title ON products (title);
-- 1235 (42000): This version of StreamSQL doesn't yet support 'CREATE UNIQUE INDEX; name the key in CREATE TABLE'
CREATE INDEX i ON products (nope);
-- 1072 (42000): Key column 'nope' doesn't exist in table
CREATE INDEX i ON nope (id);
-- 1146 (42S02): Table 'shop.nope' doesn't exist
CREATE INDEX i ON bids (price);
-- 1235 (42000): This version of StreamSQL doesn't yet support 'an index of a stream table without a primary key; make one of a materialized view over it'
CREATE INDEX i ON cheap (id);
-- 1347 (HY000): 'shop.cheap' is not BASE TABLE
DROP INDEX nope ON t;
-- 1091 (42000): Can't DROP 'nope'; check that column/key exists
DROP TABLE nope;
-- 1051 (42S02): Unknown table 'shop.nope'
DROP TABLE t;
-- 3730 (HY000): Cannot drop table 'shop.t': view 'shop.cheap', materialized view 'shop.counted' read it; drop them first, or add CASCADE
DROP TABLE bids;
-- 1347 (HY000): 'shop.bids' is not TABLE; it is a stream table: use DROP STREAM TABLE
DROP TABLE cheap;
-- 1347 (HY000): 'shop.cheap' is not TABLE; it is a view: use DROP VIEW
DROP TABLE sales;
-- 1347 (HY000): 'shop.sales' is not TABLE; it is a materialized view: use DROP MATERIALIZED VIEW
DROP STREAM TABLE t;
-- 1347 (HY000): 'shop.t' is not STREAM TABLE; it is a table: use DROP TABLE
DROP VIEW t;
-- 1347 (HY000): 'shop.t' is not VIEW; it is a table: use DROP TABLE
DROP VIEW sales;
-- 1347 (HY000): 'shop.sales' is not VIEW; it is a materialized view: use DROP MATERIALIZED VIEW
DROP VIEW nope;
-- 1051 (42S02): Unknown table 'shop.nope'
DROP MATERIALIZED VIEW cheap;
-- 1347 (HY000): 'shop.cheap' is not MATERIALIZED VIEW; it is a view: use DROP VIEW
DROP MATERIALIZED VIEW nope;
-- 1051 (42S02): Unknown table 'shop.nope'
ALTER TABLE t ADD COLUMN id INT;
-- 1060 (42S21): Duplicate column name 'id'
ALTER TABLE t DROP COLUMN nope;
-- 1091 (42000): Can't DROP 'nope'; check that column/key exists
ALTER TABLE t MODIFY COLUMN nope INT;
-- 1235 (42000): This version of StreamSQL doesn't yet support 'ALTER TABLE … MODIFY COLUMN'
ALTER TABLE t DROP INDEX nope;
-- 1091 (42000): Can't DROP 'nope'; check that column/key exists
ALTER TABLE t ADD INDEX (nope);
-- 1072 (42000): Key column 'nope' doesn't exist in table
ALTER TABLE t DROP COLUMN id;
-- 1235 (42000): This version of StreamSQL doesn't yet support 'DROP COLUMN of a column of a key'
ALTER TABLE nope ADD COLUMN x INT;
-- 1146 (42S02): Table 'shop.nope' doesn't exist
ALTER TABLE sales ADD COLUMN x INT;
-- 1347 (HY000): 'shop.sales' is not BASE TABLE
RENAME TABLE nope TO u;
-- 1146 (42S02): Table 'shop.nope' doesn't exist
RENAME TABLE t TO products;
-- 1050 (42S01): Table 'products' already exists
TRUNCATE TABLE nope;
-- 1146 (42S02): Table 'shop.nope' doesn't exist
TRUNCATE TABLE sales;
-- 1288 (HY000): The target table sales of the TRUNCATE is not updatable
TRUNCATE TABLE cheap;
-- 1288 (HY000): The target table cheap of the TRUNCATE is not updatable
# Changes of rows.
INSERT INTO nope VALUES (1);
-- 1146 (42S02): Table 'shop.nope' doesn't exist
INSERT INTO sales VALUES (1, 1);
-- 1471 (HY000): The target table sales of the INSERT is not insertable-into
INSERT INTO t VALUES (1, 'x');
-- 1136 (21S01): Column count doesn't match value count at row 1
INSERT INTO t VALUES (3, 'x', 1, NULL, NULL), (4, 'y');
-- 1136 (21S01): Column count doesn't match value count at row 2
INSERT INTO t (id, id) VALUES (3, 4);
-- 1110 (42000): Column 'id' specified twice
INSERT INTO t (nope) VALUES (3);
-- 1054 (42S22): Unknown column 'nope' in 'field list'; did you mean 'name'?
INSERT INTO t (id) VALUES (3);
-- 1364 (HY000): Field 'name' doesn't have a default value
INSERT INTO t VALUES (1, 'x', 1, NULL, NULL);
-- 1062 (23000): Duplicate entry '1' for key 't.PRIMARY'
INSERT INTO t VALUES (3, NULL, 1, NULL, NULL);
-- 1048 (23000): Column 'name' cannot be null
INSERT INTO t VALUES ('x', 'x', 1, NULL, NULL);
-- 1366 (HY000): Incorrect integer value: 'x' for column 'id' at row 1
INSERT INTO t VALUES (3, 'eleven chars', 1, NULL, NULL);
-- 1406 (22001): Data too long for column 'name' at row 1
INSERT INTO t VALUES (3, 'x', 1000, NULL, NULL);
-- 1264 (22003): Out of range value for column 'price' at row 1
INSERT INTO t VALUES (3, 'x', 1, '2024-02-30', NULL);
-- 1292 (22007): Incorrect date value: '2024-02-30' for column 'day' at row 1
INSERT INTO t VALUES (3, 'x', 1, NULL, 'c');
-- 1265 (01000): Data truncated for column 'kind' at row 1
INSERT INTO t SELECT id, title FROM products;
-- 1136 (21S01): Column count doesn't match value count at row 1
INSERT INTO products VALUES (3, 'pen');
-- 1062 (23000): Duplicate entry 'pen' for key 'products.by_title'
INSERT INTO bids VALUES (1, 1, 1, NULL);
-- 1048 (23000): Column 'ts' cannot be null
INSERT INTO bids VALUES (1, 1, 1, '2024-01-01') ON DUPLICATE KEY UPDATE price = 2;
-- 1235 (42000): This version of StreamSQL doesn't yet support 'ON DUPLICATE KEY UPDATE of a stream table'
UPDATE bids SET price = 1;
-- 1235 (42000): This version of StreamSQL doesn't yet support 'UPDATE of a stream table without a primary key'
DELETE FROM bids;
-- 1235 (42000): This version of StreamSQL doesn't yet support 'DELETE of a stream table without a primary key'
UPDATE sales SET total = 1;
-- 1288 (HY000): The target table sales of the UPDATE is not updatable
DELETE FROM sales;
-- 1288 (HY000): The target table sales of the DELETE is not updatable
UPDATE t SET nope = 1;
-- 1054 (42S22): Unknown column 'nope' in 'field list'; did you mean 'name'?
UPDATE t SET id = 2 WHERE id = 1;
-- 1062 (23000): Duplicate entry '2' for key 't.PRIMARY'
UPDATE t SET name = NULL;
-- 1048 (23000): Column 'name' cannot be null
UPDATE t SET price = (SELECT id FROM t);
-- 1242 (21000): Subquery returns more than 1 row
DELETE x FROM t JOIN products p ON t.id = p.id;
-- 1109 (42S02): Unknown table 'x' in MULTI DELETE
# Reading results.
SUBSCRIBE TO nope;
-- 1146 (42S02): Table 'shop.nope' doesn't exist
SUBSCRIBE TO t;
-- 1347 (HY000): 'shop.t' is not MATERIALIZED VIEW: SUBSCRIBE TO needs one (CREATE MATERIALIZED VIEW … AS SELECT * FROM t)
SUBSCRIBE TO cheap;
-- 1347 (HY000): 'shop.cheap' is not MATERIALIZED VIEW: SUBSCRIBE TO needs one (CREATE MATERIALIZED VIEW … AS SELECT * FROM cheap)
SUBSCRIBE TO sales WITH (snapshot = maybe);
-- 1210 (HY000): snapshot is true or false, not 'maybe'
SUBSCRIBE TO sales WITH (from_batch = 'x');
-- 1210 (HY000): from_batch is the number of a batch, not 'x'
SUBSCRIBE TO sales WITH (from_batch = -1);
-- 1210 (HY000): from_batch is the number of a batch, not '-1'
SUBSCRIBE TO sales WITH (nope = 1);
-- 1210 (HY000): Unknown option 'nope' in WITH; known here: from_batch, progress, snapshot
SUBSCRIBE sales;
-- 1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near 'sales' at line 1 column 11
SELECT * FROM CHANGES(sales);
-- 1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near ')' at line 1 column 28
SELECT * FROM CHANGES(sales, bidder);
-- 1054 (42S22): Unknown column 'bidder' in 'CHANGES'
SELECT * FROM CHANGES(sales, -1);
-- 1210 (HY000): CHANGES takes the number of a batch
SELECT * FROM CHANGES(t, 0);
-- 1347 (HY000): 'shop.t' is not MATERIALIZED VIEW: CHANGES needs one (CREATE MATERIALIZED VIEW … AS SELECT * FROM t)
SELECT * FROM CHANGES(nope, 0);
-- 1146 (42S02): Table 'shop.nope' doesn't exist
SELECT CHANGES(sales, 0);
-- 1054 (42S22): Unknown column 'sales' in 'field list'
SELECT * FROM sales AS OF BATCH -1;
-- 1210 (HY000): AS OF BATCH takes the number of a batch
SELECT * FROM sales AS OF BATCH 'x';
-- 1210 (HY000): AS OF BATCH takes the number of a batch
SELECT * FROM sales AS OF TIMESTAMP 'noon';
-- 1210 (HY000): AS OF TIMESTAMP takes a point of time
SELECT * FROM sales AS OF '2024-01-01';
-- 1235 (42000): This version of StreamSQL doesn't yet support 'AS OF here (AS OF BATCH n or AS OF TIMESTAMP t belongs at the end of a SELECT)'
SELECT * FROM sales s JOIN t AS OF BATCH 1 ON 1;
-- 1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near '1 ON 1' at line 1 column 42
FLUSH STREAMS nope;
-- 1146 (42S02): Table 'shop.nope' doesn't exist
FLUSH STREAMS t;
-- 1347 (HY000): 'shop.t' is not CONTINUOUS QUERY
FLUSH STREAMS WITH TIMEOUT soon;
-- 1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near 'soon' at line 1 column 28
PAUSE CONTINUOUS QUERY nope;
-- 1146 (42S02): Table 'shop.nope' doesn't exist
PAUSE CONTINUOUS QUERY t;
-- 1347 (HY000): 'shop.t' is not a CONTINUOUS QUERY, but a table
RESUME sales;
-- 1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near 'sales' at line 1 column 8
EXPLAIN ANALYZE nope;
-- 1146 (42S02): Table 'shop.nope' doesn't exist
EXPLAIN FORMAT = NOPE SELECT 1;
-- 1791 (HY000): Unknown EXPLAIN format name: 'NOPE'
SHOW CREATE TABLE nope;
-- 1146 (42S02): Table 'shop.nope' doesn't exist
SHOW CREATE MATERIALIZED VIEW t;
-- 1347 (HY000): 'shop.t' is not MATERIALIZED VIEW
SHOW CREATE VIEW t;
-- 1347 (HY000): 'shop.t' is not VIEW
SHOW STREAM STATUS FOR t;
-- 1347 (HY000): 'shop.t' is not CONTINUOUS QUERY
SHOW STREAM TABLES FROM nope;
-- 1049 (42000): Unknown database 'nope'
SHOW STREAMS;
-- 1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near 'STREAMS' at line 1 column 6
DESCRIBE nope;
-- 1146 (42S02): Table 'shop.nope' doesn't exist
KILL 999999;
-- 1094 (HY000): Unknown thread id: 999999
KILL QUERY 'x';
-- 1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near ''x'' at line 1 column 12
SET @@nope = 1;
-- 1193 (HY000): Unknown system variable 'nope'
SET time_zone = 'Mars/Base';
-- 1298 (HY000): Unknown or incorrect time zone: 'Mars/Base'
SET @@global.version = '1';
-- 1238 (HY000): Variable 'version' is a read only variable
SET sql_mode = 'NOPE';
-- 1231 (42000): Variable 'sql_mode' can't be set to the value of 'NOPE'
SET @@streamsql_wait_timeout = 'x';
-- 1232 (42000): Incorrect argument type to variable 'streamsql_wait_timeout'
PREPARE p FROM 'SELEC 1';
-- 1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near 'SELEC 1' at line 1 column 1
EXECUTE nope;
-- 1243 (HY000): Unknown prepared statement handler (nope) given to EXECUTE
DEALLOCATE PREPARE nope;
-- 1243 (HY000): Unknown prepared statement handler (nope) given to DEALLOCATE PREPARE
# Syntax: where it is, in the text as typed.
SELEC 1;
-- 1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near 'SELEC 1' at line 1 column 1
SELECT id
FROM t
WERE id = 1;
-- 1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near 'id = 1' at line 3 column 6
SELECT id,
  FROM t;
-- 1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near 'FROM t' at line 2 column 3
SELECT id FROM t
WHERE name = 'ä' AND AND id = 1;
-- 1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near 'AND id = 1' at line 2 column 22
SELECT (1;
-- 1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near '' at line 1 column 10
SELECT 1);
-- 1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near ')' at line 1 column 9
SELECT 'abc;
-- 1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near ''abc' at line 1 column 8
SELECT "abc;
-- 1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near '"abc' at line 1 column 8
SELECT `abc;
-- 1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near '`abc' at line 1 column 8
SELECT /* never closed;
-- 1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near '/* never closed' at line 1 column 8
SELECT * FORM t;
-- 1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near 'FORM t' at line 1 column 10
SELECT id FROM t GROUP id;
-- 1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near 'id' at line 1 column 24
SELECT id FROM t ORDER id;
-- 1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near 'id' at line 1 column 24
SELECT id FROM t LIMIT;
-- 1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near '' at line 1 column 23
INSERT t VALUE;
-- 1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near '' at line 1 column 15
UPDATE t price = 1;
-- 1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near '= 1' at line 1 column 16
DELETE t WHERE id = 1;
-- 1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near 'WHERE id = 1' at line 1 column 10
CREATE TABLE u (a);
-- 1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near ')' at line 1 column 18
CREATE STREAM u (a INT);
-- 1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near 'STREAM u (a INT)' at line 1 column 8
CREATE STREAM TABLE u (a INT, WATERMARK ts);
-- 1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near 'ts)' at line 1 column 41
CREATE MATERIALIZED VIEW m SELECT 1;
-- 1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near 'SELECT 1' at line 1 column 28
CREATE MATERIALIZED VIEW m
AS SELECT id
FROM bids FULL OUTER JON t;
-- 1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near 'OUTER JON t' at line 3 column 16
SELECT COUNT(*)
FROM TUMBLE(bids, ts, INTERVAL 10)
GROUP BY window_start;
-- 1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near ')\nGROUP BY window_start' at line 2 column 34; it is TUMBLE(table, time, INTERVAL size [, INTERVAL offset])
SELECT COUNT(*) FROM TUMBLE(bids, ts INTERVAL 10 SECOND);
-- 1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near 'INTERVAL 10 SECOND)' at line 1 column 38; it is TUMBLE(table, time, INTERVAL size [, INTERVAL offset])
SELECT COUNT(*)
FROM t FILTER (WHERE id > 1);
-- 1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near '(WHERE id > 1)' at line 2 column 15
SUBSCRIBE TO sales WITH snapshot;
-- 1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near 'snapshot' at line 1 column 25
SELECT 1;; SELECT 2;
-- 1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near '; SELECT 2' at line 1 column 10
SELECT 1 SELECT 2;
-- 1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near 'SELECT 2' at line 1 column 10
SELECT €;
-- 1054 (42S22): Unknown column '€' in 'field list'
SELECT id FROM t WHERE id = 1 EMIT;
-- 1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near 'EMIT' at line 1 column 31
