# What MySQL has and StreamSQL does not.
CREATE TABLE u (id INT PRIMARY KEY, t_id INT, FOREIGN KEY (t_id) REFERENCES t (id));
-- 1235 (42000): This version of StreamSQL doesn't yet support 'FOREIGN KEY'
CREATE TABLE u (id INT PRIMARY KEY, t_id INT REFERENCES t (id));
-- 1235 (42000): This version of StreamSQL doesn't yet support 'FOREIGN KEY'
CREATE TABLE u (id INT PRIMARY KEY, txt TEXT, FULLTEXT KEY (txt));
-- 1235 (42000): This version of StreamSQL doesn't yet support 'FULLTEXT'
CREATE TABLE u (id INT PRIMARY KEY, p POINT);
-- 1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near 'POINT)' at line 1 column 39
CREATE TABLE u (id INT PRIMARY KEY, b BIT(8));
-- 1235 (42000): This version of StreamSQL doesn't yet support 'BIT columns'
CREATE TABLE u (id INT PRIMARY KEY, s SET('a', 'b'));
-- 1235 (42000): This version of StreamSQL doesn't yet support 'SET columns'
CREATE TABLE u (id INT PRIMARY KEY) PARTITION BY HASH (id) PARTITIONS 4;
-- 1235 (42000): This version of StreamSQL doesn't yet support 'PARTITION BY'
CREATE TEMPORARY TABLE u (id INT PRIMARY KEY);
-- 1235 (42000): This version of StreamSQL doesn't yet support 'CREATE TEMPORARY TABLE'
DROP TEMPORARY TABLE u;
-- 1235 (42000): This version of StreamSQL doesn't yet support 'DROP TEMPORARY TABLE'
ALTER TABLE t ADD FOREIGN KEY (id) REFERENCES products (id);
-- 1235 (42000): This version of StreamSQL doesn't yet support 'ALTER TABLE … ADD key or constraint'
ALTER TABLE t PARTITION BY HASH (id);
-- 1235 (42000): This version of StreamSQL doesn't yet support 'ALTER TABLE … PARTITION BY'
CREATE FULLTEXT INDEX i ON t (name);
-- 1235 (42000): This version of StreamSQL doesn't yet support 'this kind of index'
CREATE SPATIAL INDEX i ON t (name);
-- 1235 (42000): This version of StreamSQL doesn't yet support 'this kind of index'
CREATE TRIGGER tr BEFORE INSERT ON t FOR EACH ROW SET NEW.price = 1;
-- 1235 (42000): This version of StreamSQL doesn't yet support 'CREATE TRIGGER'
CREATE EVENT e ON SCHEDULE EVERY 1 HOUR DO DELETE FROM t;
-- 1235 (42000): This version of StreamSQL doesn't yet support 'CREATE EVENT'
CREATE PROCEDURE p () SELECT 1;
-- 1235 (42000): This version of StreamSQL doesn't yet support 'CREATE PROCEDURE'
CREATE FUNCTION f (x INT) RETURNS INT RETURN x + 1;
-- 1235 (42000): This version of StreamSQL doesn't yet support 'CREATE FUNCTION in SQL; write LANGUAGE JAVASCRIPT AS $$ … $$, or LANGUAGE WASM AS SONAME 'file''
CALL p();
-- 1235 (42000): This version of StreamSQL doesn't yet support 'CALL'
DROP PROCEDURE p;
-- 1235 (42000): This version of StreamSQL doesn't yet support 'DROP PROCEDURE'
CREATE TABLESPACE s ADD DATAFILE 's.ibd';
-- 1235 (42000): This version of StreamSQL doesn't yet support 'CREATE TABLESPACE'
CREATE SERVER s FOREIGN DATA WRAPPER mysql OPTIONS (USER 'u');
-- 1235 (42000): This version of StreamSQL doesn't yet support 'CREATE SERVER'
XA START 'x';
-- 1235 (42000): This version of StreamSQL doesn't yet support 'XA'
HANDLER t OPEN;
-- 1235 (42000): This version of StreamSQL doesn't yet support 'HANDLER'
LOAD DATA INFILE '/tmp/x.csv' INTO TABLE t;
-- 1290 (HY000): The MySQL server is running with the --secure-file-priv option so it cannot execute this statement
LOAD DATA LOCAL INFILE 'x.csv' INTO TABLE t FIELDS TERMINATED BY '';
-- 1235 (42000): This version of StreamSQL doesn't yet support 'FIELDS TERMINATED BY '' (rows of a fixed size)'
LOAD DATA LOCAL INFILE 'x.csv' INTO TABLE t CHARACTER SET latin1;
-- 1235 (42000): This version of StreamSQL doesn't yet support 'CHARACTER SET latin1 of LOAD DATA'
LOAD DATA LOCAL INFILE 'x.csv' INTO TABLE t (nope);
-- 1054 (42S22): Unknown column 'nope' in 'field list'; did you mean 'name'?
LOAD XML INFILE '/tmp/x.xml' INTO TABLE t;
-- 1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near 'XML INFILE '/tmp/x.xml' INTO TABLE t' at line 1 column 6
SELECT * FROM t INTO OUTFILE '/tmp/x';
-- 1235 (42000): This version of StreamSQL doesn't yet support 'SELECT … INTO'
SELECT id INTO @x FROM t LIMIT 1;
-- 1235 (42000): This version of StreamSQL doesn't yet support 'SELECT … INTO'
SELECT @x := id FROM t;
-- 1235 (42000): This version of StreamSQL doesn't yet support 'assignment to a variable in an expression'
SELECT MATCH (name) AGAINST ('pen') FROM t;
-- 1235 (42000): This version of StreamSQL doesn't yet support 'MATCH … AGAINST'
SELECT ST_X(POINT(1, 2));
-- 1235 (42000): This version of StreamSQL doesn't yet support 'POINT()': there are no spatial types
SELECT SLEEP(1) FROM t PROCEDURE ANALYSE();
-- 1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near 'PROCEDURE ANALYSE()' at line 1 column 24
SELECT * FROM t PARTITION (p0);
-- 1235 (42000): This version of StreamSQL doesn't yet support 'PARTITION'
SELECT LOAD_FILE('/etc/passwd');
-- 1235 (42000): This version of StreamSQL doesn't yet support 'LOAD_FILE()': a file of the server's machine: read one with LOAD DATA or a file connector
SELECT name SOUNDS LIKE 'pen' FROM t;
-- 1235 (42000): This version of StreamSQL doesn't yet support 'SOUNDS LIKE'
CHECKSUM TABLE t;
-- 1235 (42000): This version of StreamSQL doesn't yet support 'CHECKSUM TABLE'
CHECK TABLE t;
-- 1235 (42000): This version of StreamSQL doesn't yet support 'CHECK'
REPAIR TABLE t;
-- 1235 (42000): This version of StreamSQL doesn't yet support 'REPAIR'
INSTALL PLUGIN p SONAME 'p.so';
-- 1235 (42000): This version of StreamSQL doesn't yet support 'INSTALL'
RESET MASTER;
-- 1235 (42000): This version of StreamSQL doesn't yet support 'RESET'
PURGE BINARY LOGS TO 'x';
-- 1235 (42000): This version of StreamSQL doesn't yet support 'PURGE'
CHANGE MASTER TO MASTER_HOST = 'x';
-- 1235 (42000): This version of StreamSQL doesn't yet support 'CHANGE'
SHOW ENGINE INNODB STATUS;
-- 1235 (42000): This version of StreamSQL doesn't yet support 'SHOW ENGINE'
SHOW BINLOG EVENTS;
-- 1235 (42000): This version of StreamSQL doesn't yet support 'SHOW BINLOG EVENTS'
GET DIAGNOSTICS @n = NUMBER;
-- 1235 (42000): This version of StreamSQL doesn't yet support 'GET DIAGNOSTICS'
SIGNAL SQLSTATE '45000';
-- 1235 (42000): This version of StreamSQL doesn't yet support 'SIGNAL'
SET PERSIST max_connections = 10;
-- 1235 (42000): This version of StreamSQL doesn't yet support 'SET PERSIST'
SET PASSWORD = 'x';
-- 1235 (42000): This version of StreamSQL doesn't yet support 'SET PASSWORD'
