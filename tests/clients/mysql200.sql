-- Two hundred statements for a stock mysql or mariadb client: mysql < mysql200.sql.
-- What it prints must equal what MariaDB prints, with streams as tables and
-- materialized views as plain views.

SET SESSION sql_mode = 'ONLY_FULL_GROUP_BY,STRICT_TRANS_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION';
SET NAMES utf8mb4 COLLATE utf8mb4_bin;
SET time_zone = '+00:00';
DROP DATABASE IF EXISTS mysql200;
CREATE DATABASE mysql200;
SHOW DATABASES LIKE 'mysql200';
USE mysql200;
SELECT DATABASE();

-- Without tables
SELECT 1;
SELECT 1 + 2 * 3 AS sum, 7 / 2 AS quotient, 7 DIV 2 AS whole, 7 % 3 AS rest;
SELECT -7 DIV 2, -7 % 3, 7 MOD -3, ABS(-3.50);
SELECT 0.1 + 0.2, 0.1 * 0.2, 1.00 / 3, 2.50 * 2, 1 / 3;
SELECT NULL, TRUE, FALSE, NOT TRUE, 1 AND NULL, 0 AND NULL, 1 OR NULL;
SELECT 'a', 'it''s', 'tab\there', 'back\\slash', '', 'é海';
SELECT 1 = 1, 1 <> 2, 2 > 1, 1 <=> NULL, NULL <=> NULL, NULL = NULL;
SELECT 5 BETWEEN 1 AND 10, 5 NOT BETWEEN 1 AND 10, 3 IN (1, 2, 3), 4 NOT IN (1, 2, NULL);
SELECT 'abc' LIKE 'a%', 'abc' LIKE '_b_', 'abc' NOT LIKE '%z%', '10%' LIKE '10\%';
SELECT CASE 2 WHEN 1 THEN 'one' WHEN 2 THEN 'two' ELSE 'many' END AS c, CASE WHEN 1 > 2 THEN 'x' END AS n;
SELECT IF(1 > 0, 'yes', 'no'), IFNULL(NULL, 'x'), NULLIF(1, 1), COALESCE(NULL, NULL, 3);
SELECT UPPER('abc'), LOWER('ABC'), LENGTH('é'), CHAR_LENGTH('é'), CONCAT('a', 1, 'b'), CONCAT('a', NULL);
SELECT SUBSTRING('streaming', 1, 6), SUBSTRING('streaming', -3), LEFT('abc', 2), RIGHT('abc', 2), REVERSE('abc');
SELECT TRIM('  x  ') AS t, LTRIM('  x') AS l, RTRIM('x  ') AS r, REPLACE('aXbX', 'X', '-'), REPEAT('ab', 3);
SELECT LPAD('7', 3, '0'), RPAD('7', 3, '*'), LOCATE('b', 'abc'), INSTR('abc', 'c'), CONCAT_WS(',', 'a', NULL, 'b');
SELECT ROUND(2.5), ROUND(-2.5), ROUND(1.255, 2), TRUNCATE(1.999, 1), FLOOR(-1.5), CEILING(1.2), SIGN(-9);
SELECT GREATEST(1, 5, 3), LEAST(1, 5, 3), MOD(10, 3), POWER(2, 10), SQRT(16);
SELECT CAST('12' AS SIGNED), CAST(3.7 AS SIGNED), CAST(12 AS CHAR), CAST('2024-02-29' AS DATE), CAST(1.255 AS DECIMAL(5,2));
SELECT DATE '2024-01-31' + INTERVAL 1 MONTH AS m, DATE_SUB('2024-03-01', INTERVAL 1 DAY) AS d, DATEDIFF('2024-03-01', '2024-02-01') AS n;
SELECT YEAR('2024-02-03'), MONTH('2024-02-03'), DAY('2024-02-03'), HOUR('10:05:03'), MINUTE('10:05:03'), SECOND('10:05:03');
SELECT LAST_DAY('2024-02-05'), DAYOFWEEK('2024-02-03'), DATE('2024-12-31 01:02:03'), TIMESTAMPDIFF(HOUR, '2024-01-01', '2024-01-02 03:00:00');
SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 2;
SELECT 9223372036854775807 AS big, 18446744073709551615 AS bigger, -9223372036854775808 AS small;
SELECT 123456789012345678901234567890 + 1 AS wide, 99999999999999999999.99 * 2 AS money;

-- Tables
CREATE TABLE customers (id INT PRIMARY KEY, name VARCHAR(20) NOT NULL, city VARCHAR(20), joined DATE, credit DECIMAL(10,2) DEFAULT 0);
CREATE TABLE products (id BIGINT PRIMARY KEY AUTO_INCREMENT, name VARCHAR(30), price DECIMAL(8,2), weight DOUBLE, kind ENUM('book','toy','food'));
CREATE TABLE IF NOT EXISTS customers (id INT PRIMARY KEY);
SHOW TABLES;
INSERT INTO customers VALUES (1, 'Ann', 'Oslo', '2023-01-15', 100.50), (2, 'Bob', 'Rome', '2023-02-20', -20), (3, 'Cid', NULL, NULL, 0);
INSERT INTO customers (id, name) VALUES (4, 'Dora');
INSERT INTO customers SET id = 5, name = 'Émil', city = 'Oslo', joined = '2024-02-29';
SELECT * FROM customers ORDER BY id;
SELECT name, city FROM customers WHERE city IS NULL ORDER BY name;
SELECT name FROM customers WHERE city = 'Oslo' AND credit >= 0 ORDER BY name DESC;
SELECT name FROM customers WHERE joined BETWEEN '2023-01-01' AND '2023-12-31' ORDER BY joined;
SELECT name FROM customers WHERE name LIKE '%o%' OR name LIKE 'A%' ORDER BY 1;
SELECT city, COUNT(*) AS n, SUM(credit) AS s, MIN(name) AS first, MAX(name) AS last FROM customers GROUP BY city ORDER BY city;
SELECT DISTINCT city FROM customers ORDER BY city;
SELECT COUNT(*), COUNT(city), COUNT(DISTINCT city), SUM(credit), AVG(credit), MIN(joined), MAX(joined) FROM customers;
SELECT id FROM customers ORDER BY credit DESC, id LIMIT 2;
SELECT id FROM customers ORDER BY id LIMIT 2 OFFSET 2;
SELECT id FROM customers ORDER BY id LIMIT 1, 2;
INSERT INTO products (name, price, weight, kind) VALUES ('atlas', 39.90, 1.25, 'book'), ('ball', 5.00, 0.3, 'toy'), ('cake', 12.75, 0.8, 'food');
SELECT LAST_INSERT_ID();
INSERT INTO products (name, price, weight, kind) VALUES ('doll', 19.99, NULL, 'toy');
SELECT id, name, price, weight, kind FROM products ORDER BY id;
SELECT kind, COUNT(*) AS n, AVG(price) AS avg, SUM(weight) AS w FROM products GROUP BY kind ORDER BY kind;
SELECT kind, SUM(price) AS s FROM products GROUP BY kind HAVING SUM(price) > 13 ORDER BY s;
UPDATE customers SET credit = credit + 10 WHERE city = 'Oslo';
SELECT id, credit FROM customers ORDER BY id;
UPDATE customers SET city = 'Bonn', joined = joined + INTERVAL 1 YEAR WHERE id = 2;
SELECT id, city, joined FROM customers WHERE id IN (2, 5) ORDER BY id;
UPDATE customers SET credit = NULL WHERE id = 4;
SELECT COUNT(credit), SUM(credit), AVG(credit) FROM customers;
REPLACE INTO customers VALUES (3, 'Cyd', 'Kyiv', '2022-05-05', 7);
SELECT * FROM customers WHERE id = 3;
INSERT INTO customers VALUES (3, 'X', 'Y', NULL, 1) ON DUPLICATE KEY UPDATE credit = credit + VALUES(credit);
SELECT id, name, credit FROM customers WHERE id = 3;
INSERT IGNORE INTO customers VALUES (1, 'Not', 'here', NULL, 0), (6, 'Flo', 'Lima', '2024-06-01', 3.33);
SELECT id, name FROM customers ORDER BY id;
DELETE FROM customers WHERE id = 6;
SELECT COUNT(*) FROM customers;

-- Streams and views over them
CREATE STREAM TABLE orders (id BIGINT NOT NULL, customer INT, product BIGINT, qty INT, amount DECIMAL(12,2), ts DATETIME(3));
CREATE MATERIALIZED VIEW by_customer AS SELECT customer, COUNT(*) AS n, SUM(amount) AS total FROM orders GROUP BY customer;
CREATE MATERIALIZED VIEW buckets AS SELECT FLOOR(total / 50) AS b, COUNT(*) AS customers FROM by_customer GROUP BY FLOOR(total / 50);
CREATE MATERIALIZED VIEW totals AS SELECT COUNT(*) AS n, SUM(qty) AS q, SUM(amount) AS a, AVG(amount) AS avg, MIN(ts) AS first, MAX(ts) AS last FROM orders;
SELECT * FROM by_customer;
SELECT * FROM totals;
INSERT INTO orders VALUES (1, 1, 1, 1, 39.90, '2024-03-01 10:00:00.000'), (2, 2, 2, 3, 15.00, '2024-03-01 10:00:01.500'), (3, 1, 3, 1, 12.75, '2024-03-01 10:00:02.250');
SELECT * FROM by_customer ORDER BY customer;
SELECT * FROM buckets ORDER BY b;
SELECT * FROM totals;
INSERT INTO orders VALUES (4, 2, 4, 2, 39.98, '2024-03-01 11:00:00'), (5, NULL, 2, 1, NULL, '2024-03-01 11:30:00');
SELECT * FROM by_customer ORDER BY customer;
SELECT * FROM buckets ORDER BY b;
SELECT * FROM totals;
INSERT INTO orders (id, customer, amount) VALUES (6, 1, 60.00);
SELECT * FROM buckets ORDER BY b;
SELECT b, customers FROM buckets WHERE customers > 0 ORDER BY b DESC LIMIT 1;
SELECT id, amount, ts FROM orders ORDER BY id;
SELECT customer, total / n AS mean FROM by_customer WHERE n > 1 ORDER BY customer;
SHOW TABLES;

-- Joins
CREATE MATERIALIZED VIEW named AS SELECT c.name, o.id, o.amount FROM orders AS o JOIN customers AS c ON c.id = o.customer;
CREATE MATERIALIZED VIEW everyone AS SELECT c.id, c.name, b.n, b.total FROM customers AS c LEFT JOIN by_customer AS b ON b.customer = c.id;
CREATE MATERIALIZED VIEW by_kind AS SELECT p.kind, COUNT(*) AS n, SUM(o.qty * p.price) AS value, MAX(o.amount) AS biggest FROM orders AS o JOIN products AS p ON p.id = o.product GROUP BY p.kind;
SELECT * FROM named ORDER BY id;
SELECT * FROM everyone ORDER BY id;
SELECT * FROM by_kind ORDER BY kind;
UPDATE products SET price = price + 1 WHERE kind = 'toy';
SELECT * FROM by_kind ORDER BY kind;
DELETE FROM customers WHERE id = 5;
SELECT * FROM everyone ORDER BY id;
UPDATE customers SET name = 'Anna' WHERE id = 1;
SELECT * FROM named ORDER BY id;
INSERT INTO customers VALUES (7, 'Gil', 'Oslo', '2024-07-07', 0);
SELECT * FROM everyone WHERE n IS NULL ORDER BY id;
SELECT a.name, b.name FROM customers AS a JOIN customers AS b ON a.id < b.id AND a.city = b.city ORDER BY 1, 2;
SELECT c.name, o.id FROM customers c LEFT JOIN orders o ON o.customer = c.id AND o.amount > 30 ORDER BY c.id, o.id;
SELECT c.city, COUNT(o.id) AS n FROM customers c LEFT JOIN orders o ON o.customer = c.id GROUP BY c.city ORDER BY c.city;
SELECT o.id, c.name, p.name FROM orders o JOIN customers c ON c.id = o.customer JOIN products p ON p.id = o.product ORDER BY o.id;
SELECT x.n, COUNT(*) AS times FROM (SELECT customer, COUNT(*) AS n FROM orders GROUP BY customer) AS x GROUP BY x.n ORDER BY x.n;
WITH big AS (SELECT * FROM orders WHERE amount > 20) SELECT COUNT(*) AS n, SUM(amount) AS s FROM big;
WITH a AS (SELECT customer, SUM(amount) AS s FROM orders GROUP BY customer), b AS (SELECT MAX(s) AS m FROM a) SELECT a.customer FROM a JOIN b ON a.s = b.m;
SELECT 'customer' AS what, name FROM customers UNION ALL SELECT 'product', name FROM products ORDER BY 1, 2;

-- Extremes and distinct counts, taken back
CREATE TABLE scores (id INT PRIMARY KEY, team VARCHAR(10), points INT, day DATE);
CREATE MATERIALIZED VIEW extremes AS SELECT team, MIN(points) AS lo, MAX(points) AS hi, COUNT(DISTINCT points) AS d, MAX(day) AS last FROM scores GROUP BY team;
CREATE MATERIALIZED VIEW spread AS SELECT hi - lo AS spread, COUNT(*) AS teams FROM extremes GROUP BY hi - lo;
INSERT INTO scores VALUES (1, 'red', 5, '2024-01-01'), (2, 'red', 9, '2024-01-02'), (3, 'blue', 7, '2024-01-01'), (4, 'blue', 7, '2024-01-03'), (5, NULL, 1, NULL);
SELECT * FROM extremes ORDER BY team;
SELECT * FROM spread ORDER BY spread;
DELETE FROM scores WHERE id = 2;
SELECT * FROM extremes ORDER BY team;
SELECT * FROM spread ORDER BY spread;
UPDATE scores SET points = points + 10 WHERE day = '2024-01-01';
SELECT * FROM extremes ORDER BY team;
UPDATE scores SET team = 'red' WHERE team = 'blue';
SELECT * FROM extremes ORDER BY team;
SELECT * FROM spread ORDER BY spread;
DELETE FROM scores WHERE team IS NULL;
SELECT * FROM extremes ORDER BY team;
UPDATE scores SET points = NULL;
SELECT * FROM extremes ORDER BY team;
DELETE FROM scores;
SELECT * FROM extremes;
SELECT * FROM spread;
CREATE MATERIALIZED VIEW none AS SELECT COUNT(*) AS n, SUM(points) AS s, MAX(points) AS m FROM scores;
SELECT * FROM none;

-- Transactions
BEGIN;
INSERT INTO scores VALUES (10, 'green', 1, '2024-02-01');
INSERT INTO scores VALUES (11, 'green', 2, '2024-02-02');
SELECT COUNT(*) FROM scores;
COMMIT;
SELECT * FROM extremes ORDER BY team;
START TRANSACTION;
UPDATE scores SET points = 100;
SELECT id, points FROM scores ORDER BY id;
ROLLBACK;
SELECT id, points FROM scores ORDER BY id;
SELECT * FROM none;
BEGIN;
UPDATE scores SET points = points - 1 WHERE id = 11;
UPDATE scores SET points = points + 1 WHERE id = 10;
COMMIT;
SELECT SUM(points) AS s FROM scores;
SELECT * FROM extremes ORDER BY team;

-- Views made over rows that are there, and plain views
CREATE VIEW oslo AS SELECT id, name FROM customers WHERE city = 'Oslo';
SELECT * FROM oslo ORDER BY id;
CREATE MATERIALIZED VIEW late AS SELECT city, COUNT(*) AS n FROM customers GROUP BY city;
SELECT * FROM late ORDER BY city;
CREATE MATERIALIZED VIEW late_on_late AS SELECT n, COUNT(*) AS cities FROM late GROUP BY n;
SELECT * FROM late_on_late ORDER BY n;
INSERT INTO customers VALUES (8, 'Hal', 'Kyiv', NULL, 1);
SELECT * FROM late ORDER BY city;
SELECT * FROM late_on_late ORDER BY n;
CREATE MATERIALIZED VIEW labelled (label, how_many) AS SELECT CASE WHEN credit > 50 THEN 'rich' WHEN credit IS NULL THEN 'unknown' ELSE 'plain' END, COUNT(*) FROM customers GROUP BY 1;
SELECT * FROM labelled ORDER BY label;
UPDATE customers SET credit = 51 WHERE id = 8;
SELECT * FROM labelled ORDER BY label;
CREATE MATERIALIZED VIEW both_kinds AS SELECT name, 'c' AS k FROM customers WHERE id < 3 UNION ALL SELECT name, 'p' FROM products WHERE price > 15;
SELECT * FROM both_kinds ORDER BY k, name;
DELETE FROM products WHERE name = 'atlas';
SELECT * FROM both_kinds ORDER BY k, name;
CREATE MATERIALIZED VIEW cities AS SELECT DISTINCT city FROM customers WHERE city IS NOT NULL;
SELECT * FROM cities ORDER BY city;
DELETE FROM customers WHERE city = 'Kyiv' AND id = 8;
SELECT * FROM cities ORDER BY city;
DROP VIEW oslo;
DROP MATERIALIZED VIEW late_on_late;
DROP MATERIALIZED VIEW late;
SHOW TABLES LIKE 'l%';

-- Types
CREATE TABLE types (id INT PRIMARY KEY, t TINYINT, u BIGINT UNSIGNED, f DOUBLE, d DECIMAL(20,5), s VARCHAR(10), b BOOL, dt DATETIME(3), dd DATE, tm TIME);
INSERT INTO types VALUES (1, -128, 18446744073709551615, 1.5, 12345.67891, 'é', TRUE, '2024-02-29 23:59:59.999', '2024-02-29', '12:34:56');
INSERT INTO types VALUES (2, 127, 0, -0.25, -0.00001, '', FALSE, '1999-12-31', '1999-12-31', '-01:00:00');
INSERT INTO types (id) VALUES (3);
SELECT * FROM types ORDER BY id;
SELECT id, t + 1 AS t1, f * 2 AS f2, d * 2 AS d2, dt + INTERVAL 1 SECOND AS dt1, dd + INTERVAL 1 DAY AS dd1 FROM types ORDER BY id;
CREATE MATERIALIZED VIEW type_sums AS SELECT b, COUNT(*) AS n, SUM(t) AS t, SUM(f) AS f, SUM(d) AS d, MIN(dt) AS dt, MAX(tm) AS tm FROM types GROUP BY b;
SELECT * FROM type_sums ORDER BY b;
UPDATE types SET b = NOT b, t = t - t WHERE id < 3;
SELECT * FROM type_sums ORDER BY b;
SELECT HEX(s), LENGTH(s), CHAR_LENGTH(s) FROM types ORDER BY id;
SELECT id FROM types WHERE dt > '2000-01-01' ORDER BY id;
SELECT id, CAST(d AS SIGNED) AS i, CAST(dt AS DATE) AS day, CAST(t AS CHAR) AS c FROM types ORDER BY id;

-- Text order is by bytes
CREATE TABLE words (w VARCHAR(10) PRIMARY KEY);
INSERT INTO words VALUES ('b'), ('B'), ('a'), ('é'), ('ab'), ('Z');
SELECT w FROM words ORDER BY w;
SELECT MIN(w), MAX(w), COUNT(*) FROM words;
SELECT w FROM words WHERE w > 'a' ORDER BY w DESC;
SELECT UPPER(w) AS u, COUNT(*) AS n FROM words GROUP BY UPPER(w) ORDER BY u;

-- The end
SELECT COUNT(*) AS orders FROM orders;
DROP TABLE words;
DROP TABLE IF EXISTS words;
DROP DATABASE mysql200;
SHOW DATABASES LIKE 'mysql200';
