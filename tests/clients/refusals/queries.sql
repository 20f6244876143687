# Joins.
SELECT * FROM t JOIN products ON nope = 1;
-- 1054 (42S22): Unknown column 'nope' in 'on clause'; did you mean 'name'?
SELECT id FROM t JOIN products ON t.id = products.id;
-- 1052 (23000): Column 'id' in field list is ambiguous
SELECT * FROM t JOIN products USING (title);
-- 1054 (42S22): Unknown column 'title' in 'from clause'
SELECT * FROM t JOIN t ON 1;
-- 1066 (42000): Not unique table/alias: 't'
SELECT * FROM t FULL JOIN products;
-- 1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near '' at line 1 column 35
SELECT * FROM t LEFT JOIN products;
-- 1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near '' at line 1 column 35
SELECT * FROM t SEMI JOIN products ON t.id = products.id;
-- 1235 (42000): This version of StreamSQL doesn't yet support 'SEMI JOIN (use IN or EXISTS)'
SELECT * FROM t ANTI JOIN products ON t.id = products.id;
-- 1235 (42000): This version of StreamSQL doesn't yet support 'ANTI JOIN (use NOT EXISTS)'
SELECT * FROM bids b ASOF JOIN rates r ON b.bidder = r.rate;
-- 1235 (42000): This version of StreamSQL doesn't yet support 'ASOF JOIN without an inequality (>=, >, <= or <) between a column of each side'
SELECT * FROM bids b ASOF JOIN rates r ON b.ts >= r.ts AND b.price >= r.rate;
-- 1235 (42000): This version of StreamSQL doesn't yet support 'ASOF JOIN on more than equalities, one inequality, and conditions on the right side alone'
SELECT * FROM bids b ASOF JOIN rates r;
-- 1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near '' at line 1 column 39
SELECT * FROM bids b ASOF JOIN rates r USING (ts);
-- 1235 (42000): This version of StreamSQL doesn't yet support 'USING in a temporal or ASOF join (use ON)'
SELECT * FROM bids b JOIN rates FOR SYSTEM_TIME AS OF b.ts AS r ON b.price = r.rate;
-- 1235 (42000): This version of StreamSQL doesn't yet support 'a temporal join with 'rates' whose ON does not give a unique key of the right side'
SELECT * FROM bids b JOIN clicks FOR SYSTEM_TIME AS OF b.ts AS c ON b.auction = c.seen;
-- 1235 (42000): This version of StreamSQL doesn't yet support 'FOR SYSTEM_TIME AS OF a column over stream 'clicks', which needs a PRIMARY KEY and a WATERMARK for that'
SELECT * FROM bids b RIGHT JOIN rates FOR SYSTEM_TIME AS OF b.ts AS r ON b.bidder = r.cur;
-- 1235 (42000): This version of StreamSQL doesn't yet support 'a temporal or ASOF join that is RIGHT or FULL'
SELECT * FROM bids b JOIN rates FOR SYSTEM_TIME AS OF b.price AS r ON b.bidder = r.cur;
-- 1235 (42000): This version of StreamSQL doesn't yet support 'FOR SYSTEM_TIME AS OF a column that is neither DATETIME nor TIMESTAMP'
SELECT * FROM bids b JOIN rates FOR SYSTEM_TIME AS OF '2024-01-01' AS r ON b.bidder = r.cur;
-- 1235 (42000): This version of StreamSQL doesn't yet support 'FOR SYSTEM_TIME AS OF anything but PROCTIME() or a column of the left side'
SELECT * FROM rates FOR SYSTEM_TIME AS OF NOW();
-- 1235 (42000): This version of StreamSQL doesn't yet support 'FOR SYSTEM_TIME AS OF anything but PROCTIME() or a column of the left side'
UPDATE t FULL JOIN products p ON t.id = p.id SET t.price = 1;
-- 1235 (42000): This version of StreamSQL doesn't yet support 'FULL JOIN outside of SELECT'
SELECT * FROM t, LATERAL products;
-- 1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near 'products' at line 1 column 26
SELECT * FROM t RIGHT JOIN LATERAL (SELECT t.id) x ON 1;
-- 1054 (42S22): Unknown column 't.id' in 'field list'
# Subqueries.
SELECT (SELECT id, name FROM t);
-- 1241 (21000): Operand should contain 1 column(s)
SELECT (SELECT id FROM t);
-- 1242 (21000): Subquery returns more than 1 row
SELECT * FROM t WHERE id IN (SELECT id, name FROM t);
-- 1241 (21000): Operand should contain 1 column(s)
SELECT * FROM t WHERE (id, name) IN (SELECT id FROM t);
-- 1241 (21000): Operand should contain 2 column(s)
SELECT * FROM t WHERE (id, name) = (1, 2, 3);
-- 1241 (21000): Operand should contain 2 column(s)
SELECT * FROM t WHERE id > ALL (SELECT id, name FROM t);
-- 1241 (21000): Operand should contain 1 column(s)
SELECT * FROM t WHERE id IN (SELECT id FROM products LIMIT 1);
-- 1235 (42000): This version of StreamSQL doesn't yet support 'LIMIT & IN/ALL/ANY/SOME subquery'
SELECT * FROM t WHERE id = (SELECT COUNT(*) FROM products WHERE nope = t.id);
-- 1054 (42S22): Unknown column 'nope' in 'where clause'
SELECT * FROM (SELECT 1);
-- 1248 (42000): Every derived table must have its own alias
SELECT * FROM (SELECT id, id FROM t) x;
-- 1060 (42S21): Duplicate column name 'id'
SELECT * FROM (SELECT id FROM t) x (a, b);
-- 1353 (HY000): In definition of view, derived table or common table expression, SELECT list and column names list have different column counts
SELECT * FROM (SELECT t.id) x, t;
-- 1054 (42S22): Unknown column 't.id' in 'field list'
SELECT id FROM t LIMIT (SELECT 1);
-- 1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near '(SELECT 1)' at line 1 column 24
SELECT id FROM t LIMIT -1;
-- 1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near '-1' at line 1 column 24
SELECT id FROM t LIMIT 1.5;
-- 1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near '1.5' at line 1 column 24
SELECT EXISTS (1);
-- 1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near '1)' at line 1 column 16
# Grouping and aggregates.
SELECT name, price FROM t GROUP BY name;
-- 1055 (42000): Expression #2 of SELECT list is not in GROUP BY clause and contains nonaggregated column 'shop.t.price' which is not functionally dependent on columns in GROUP BY clause; this is incompatible with sql_mode=only_full_group_by
SELECT name, COUNT(*) FROM t;
-- 1140 (42000): In aggregated query without GROUP BY, expression #1 of SELECT list contains nonaggregated column 'shop.t.name'; this is incompatible with sql_mode=only_full_group_by
SELECT name FROM t GROUP BY COUNT(*);
-- 1111 (HY000): Invalid use of group function
SELECT COUNT(*) AS n FROM t GROUP BY n;
-- 1056 (42000): Can't group on 'n'
SELECT COUNT(*) FROM t GROUP BY 1;
-- 1056 (42000): Can't group on 'COUNT(*)'
SELECT id FROM t GROUP BY 3;
-- 1054 (42S22): Unknown column '3' in 'group statement'
SELECT id FROM t HAVING price > 1;
-- 1054 (42S22): Unknown column 'price' in 'having clause'
SELECT DISTINCT name FROM t ORDER BY price;
-- 3065 (HY000): Expression #1 of ORDER BY clause is not in SELECT list, references column 'shop.t.price' which is not in SELECT list; this is incompatible with DISTINCT
SELECT SUM(COUNT(*)) FROM t GROUP BY name;
-- 1111 (HY000): Invalid use of group function
SELECT id FROM t WHERE SUM(price) > 1;
-- 1111 (HY000): Invalid use of group function
SELECT ABS(price) FILTER (WHERE id > 1) FROM t;
-- 1064 (42000): FILTER and WITHIN GROUP belong behind an aggregate function, which ABS is not
SELECT COUNT(*) FILTER (id > 1) FROM t;
-- 1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near '(id > 1) FROM t' at line 1 column 24
SELECT COUNT(*) FILTER (WHERE SUM(id) > 1) FROM t;
-- 1111 (HY000): Invalid use of group function
SELECT PERCENTILE_CONT(0.5) FROM t;
-- 1064 (42000): PERCENTILE_CONT needs WITHIN GROUP (ORDER BY …) behind it
SELECT PERCENTILE_CONT(1.5) WITHIN GROUP (ORDER BY price) FROM t;
-- 1210 (HY000): Incorrect arguments to PERCENTILE_CONT: it takes a constant from 0 to 1
SELECT PERCENTILE_CONT(price) WITHIN GROUP (ORDER BY price) FROM t;
-- 1210 (HY000): Incorrect arguments to PERCENTILE_CONT: it takes a constant from 0 to 1
SELECT PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY price, id) FROM t;
-- 1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near 'price, id) FROM t' at line 1 column 52
SELECT SUM(price) WITHIN GROUP (ORDER BY id) FROM t;
-- 1064 (42000): WITHIN GROUP belongs behind PERCENTILE_CONT or PERCENTILE_DISC, not SUM
SELECT MEDIAN(DISTINCT price) FROM t;
-- 1235 (42000): This version of StreamSQL doesn't yet support 'MEDIAN(DISTINCT …)'
SELECT MEDIAN(price, 1) FROM t;
-- 1582 (42000): Incorrect parameter count in the call to native function 'MEDIAN'
SELECT APPROX_PERCENTILE(price) FROM t;
-- 1582 (42000): Incorrect parameter count in the call to native function 'APPROX_PERCENTILE'
SELECT APPROX_PERCENTILE(price, 200) FROM t;
-- 1210 (HY000): Incorrect arguments to APPROX_PERCENTILE: it takes a constant from 0 to 100
SELECT SUM(DISTINCT price, id) FROM t;
-- 1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near ', id) FROM t' at line 1 column 26
SELECT COUNT(DISTINCT *) FROM t;
-- 1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near '*) FROM t' at line 1 column 23
SELECT SUM(*) FROM t;
-- 1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near '*) FROM t' at line 1 column 12
SELECT SUM() FROM t;
-- 1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near ') FROM t' at line 1 column 12
SELECT COUNT(id, name) FROM t;
-- 1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near ', name) FROM t' at line 1 column 16
SELECT JSON_OBJECTAGG(name) FROM t;
-- 1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near ') FROM t' at line 1 column 27
SELECT JSON_OBJECTAGG(NULL, id) FROM t;
-- 3158 (22032): JSON documents may not contain NULL member names.
SELECT GROUP_CONCAT(name SEPARATOR 1) FROM t;
-- 1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near '1) FROM t' at line 1 column 36
SELECT GROUPING(name) FROM t GROUP BY name;
-- 1111 (HY000): Invalid use of group function
SELECT GROUPING(price) FROM t GROUP BY name WITH ROLLUP;
-- 3602 (HY000): Argument #1 of GROUPING function is not in GROUP BY
SELECT name FROM t GROUP BY GROUPING SETS (name, nope);
-- 1054 (42S22): Unknown column 'nope' in 'group statement'; did you mean 'name'?
SELECT name FROM t GROUP BY name WITH CUBE;
-- 1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near 'CUBE' at line 1 column 39
# Window functions.
SELECT RANK(id) OVER (ORDER BY id) FROM t;
-- 1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near 'id) OVER (ORDER BY id) FROM t' at line 1 column 13
SELECT ROW_NUMBER() FROM t;
-- 1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near 'FROM t' at line 1 column 21
SELECT id FROM t WHERE ROW_NUMBER() OVER (ORDER BY id) = 1;
-- 3593 (HY000): You cannot use the window function 'row_number' in this context.'
SELECT id FROM t GROUP BY id HAVING RANK() OVER (ORDER BY id) = 1;
-- 3593 (HY000): You cannot use the window function 'rank' in this context.'
SELECT SUM(RANK() OVER (ORDER BY id)) FROM t;
-- 3593 (HY000): You cannot use the window function 'rank' in this context.'
SELECT RANK() OVER (ORDER BY RANK() OVER (ORDER BY id)) FROM t;
-- 3595 (HY000): You cannot nest a window function in the specification of window '<unnamed window>'.
SELECT RANK() OVER w FROM t;
-- 3579 (HY000): Window name 'w' is not defined.
SELECT RANK() OVER w FROM t WINDOW w AS (ORDER BY id), w AS (ORDER BY name);
-- 3591 (HY000): Window 'w' is defined twice.
SELECT RANK() OVER a FROM t WINDOW a AS (b), b AS (a);
-- 3580 (HY000): There is a circularity in the window dependency graph.
SELECT RANK() OVER (w ORDER BY id) FROM t WINDOW w AS (ORDER BY name);
-- 3583 (HY000): Window '<unnamed window>' cannot inherit 'w' since both contain an ORDER BY clause.
SELECT RANK() OVER (w PARTITION BY id) FROM t WINDOW w AS (ORDER BY name);
-- 3581 (HY000): A window which depends on another cannot define partitioning.
SELECT SUM(id) OVER (w ROWS 1 PRECEDING) FROM t WINDOW w AS (ORDER BY id ROWS 2 PRECEDING);
-- 3582 (HY000): Window 'w' has a frame definition, so cannot be referenced by another window.
SELECT SUM(id) OVER (ORDER BY id ROWS BETWEEN UNBOUNDED FOLLOWING AND CURRENT ROW) FROM t;
-- 3584 (HY000): Window '<unnamed window>': frame start cannot be UNBOUNDED FOLLOWING.
SELECT SUM(id) OVER (ORDER BY id ROWS BETWEEN CURRENT ROW AND UNBOUNDED PRECEDING) FROM t;
-- 3585 (HY000): Window '<unnamed window>': frame end cannot be UNBOUNDED PRECEDING.
SELECT SUM(id) OVER (ORDER BY id ROWS BETWEEN CURRENT ROW AND 1 PRECEDING) FROM t;
-- 3586 (HY000): Window '<unnamed window>': frame start or end is negative, NULL or of non-integral type
SELECT SUM(id) OVER (ORDER BY id ROWS -1 PRECEDING) FROM t;
-- 1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near '-1 PRECEDING) FROM t' at line 1 column 39
SELECT SUM(id) OVER (ORDER BY id ROWS 1.5 PRECEDING) FROM t;
-- 3586 (HY000): Window '<unnamed window>': frame start or end is negative, NULL or of non-integral type
SELECT SUM(id) OVER (ORDER BY id ROWS INTERVAL 1 DAY PRECEDING) FROM t;
-- 3596 (HY000): Window '<unnamed window>': INTERVAL can only be used with RANGE frames.
SELECT SUM(id) OVER (ORDER BY id, name RANGE 1 PRECEDING) FROM t;
-- 3587 (HY000): Window '<unnamed window>' with RANGE N PRECEDING/FOLLOWING frame requires exactly one ORDER BY expression, of numeric or temporal type
SELECT SUM(id) OVER (ORDER BY name RANGE 1 PRECEDING) FROM t;
-- 3587 (HY000): Window '<unnamed window>' with RANGE N PRECEDING/FOLLOWING frame requires exactly one ORDER BY expression, of numeric or temporal type
SELECT SUM(id) OVER (ORDER BY id RANGE INTERVAL 1 DAY PRECEDING) FROM t;
-- 3589 (HY000): Window '<unnamed window>' with RANGE frame has ORDER BY expression of numeric type, INTERVAL bound value not allowed.
SELECT SUM(id) OVER (ORDER BY day RANGE 1 PRECEDING) FROM t;
-- 3588 (HY000): Window '<unnamed window>' with RANGE frame has ORDER BY expression of datetime type. Only INTERVAL bound value allowed.
SELECT SUM(id) OVER (GROUPS 1 PRECEDING) FROM t;
-- 3587 (HY000): Window '<unnamed window>' with a GROUPS frame requires ORDER BY
SELECT NTILE(0) OVER (ORDER BY id) FROM t;
-- 1210 (HY000): Incorrect arguments to ntile
SELECT NTH_VALUE(id, 0) OVER (ORDER BY id) FROM t;
-- 1210 (HY000): Incorrect arguments to nth_value
SELECT LAG(id, price) OVER (ORDER BY id) FROM t;
-- 1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near 'price) OVER (ORDER BY id) FROM t' at line 1 column 16
SELECT LAG(id) IGNORE NULLS OVER (ORDER BY id) FROM t;
-- 1235 (42000): This version of StreamSQL doesn't yet support 'IGNORE NULLS'
SELECT NTH_VALUE(id, 1) FROM LAST OVER (ORDER BY id) FROM t;
-- 1235 (42000): This version of StreamSQL doesn't yet support 'FROM LAST'
SELECT COUNT(DISTINCT id) OVER () FROM t;
-- 1235 (42000): This version of StreamSQL doesn't yet support 'COUNT(DISTINCT …) OVER (…)'
SELECT GROUP_CONCAT(name) OVER () FROM t;
-- 1235 (42000): This version of StreamSQL doesn't yet support 'GROUP_CONCAT(…) OVER (…)'
SELECT SUM(id) OVER (ORDER BY id ROWS CURRENT ROW EXCLUDE TIES) FROM t;
-- 1235 (42000): This version of StreamSQL doesn't yet support 'EXCLUDE TIES in a window's frame'
UPDATE t SET price = RANK() OVER (ORDER BY id);
-- 3593 (HY000): You cannot use the window function 'rank' in this context.'
# Set operations and VALUES.
SELECT id FROM t UNION SELECT id, name FROM t;
-- 1222 (21000): The used SELECT statements have a different number of columns
SELECT id FROM t INTERSECT SELECT id, name FROM t;
-- 1222 (21000): The used SELECT statements have a different number of columns
SELECT id FROM t EXCEPT SELECT id, name FROM t;
-- 1222 (21000): The used SELECT statements have a different number of columns
SELECT id FROM t MINUS SELECT id FROM t;
-- 1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near 'SELECT id FROM t' at line 1 column 24
SELECT id FROM t ORDER BY id UNION SELECT id FROM t;
-- 1221 (HY000): Incorrect usage of UNION and ORDER BY
SELECT id FROM t UNION SELECT id FROM t ORDER BY name;
-- 1054 (42S22): Unknown column 'name' in 'order clause'
SELECT id FROM t UNION BY NAME SELECT id FROM products;
-- 1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near 'BY NAME SELECT id FROM products' at line 1 column 24
VALUES ROW(1), ROW(1, 2);
-- 1136 (21S01): Column count doesn't match value count at row 2
VALUES (1), (2);
-- 1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near '(1), (2)' at line 1 column 8
SELECT * FROM (VALUES ROW(1, 2)) x (a);
-- 1353 (HY000): In definition of view, derived table or common table expression, SELECT list and column names list have different column counts
# WITH.
WITH c AS (SELECT 1 AS a), c AS (SELECT 2 AS a) SELECT * FROM c;
-- 1066 (42000): Not unique table/alias: 'c'
WITH c (a, b) AS (SELECT 1) SELECT * FROM c;
-- 1353 (HY000): In definition of view, derived table or common table expression, SELECT list and column names list have different column counts
WITH c AS (SELECT * FROM c) SELECT * FROM c;
-- 1146 (42S02): Table 'shop.c' doesn't exist; did you mean 't'?
WITH a AS (SELECT * FROM b), b AS (SELECT 1 AS x) SELECT * FROM a;
-- 1146 (42S02): Table 'shop.b' doesn't exist; did you mean 't'?
WITH RECURSIVE c AS (SELECT * FROM c) SELECT * FROM c;
-- 3573 (HY000): Recursive Common Table Expression 'c' should contain a UNION
WITH RECURSIVE c AS (SELECT n + 1 AS n FROM c UNION ALL SELECT 1) SELECT * FROM c;
-- 3574 (HY000): Recursive Common Table Expression 'c' should have one or more non-recursive query blocks followed by one or more recursive ones
WITH RECURSIVE c AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM c) SELECT * FROM c;
-- 3636 (HY000): Recursive query aborted after 1001 iterations. Try increasing @@cte_max_recursion_depth to a larger value.
WITH RECURSIVE c AS (SELECT 1 AS n UNION ALL SELECT SUM(n) FROM c) SELECT * FROM c;
-- 3575 (HY000): Recursive Common Table Expression 'c' can contain neither aggregation nor window functions in recursive query block
WITH RECURSIVE c AS (SELECT 1 AS n UNION ALL SELECT DISTINCT n FROM c) SELECT * FROM c;
-- 1235 (42000): This version of StreamSQL doesn't yet support 'ORDER BY / LIMIT / SELECT DISTINCT in recursive query block of Common Table Expression'
WITH RECURSIVE c AS (SELECT 1 AS n UNION ALL SELECT a.n FROM c a, c b) SELECT * FROM c;
-- 3577 (HY000): In recursive query block of Recursive Common Table Expression 'c', the recursive table must be referenced only once, and not in any subquery
WITH RECURSIVE c AS (SELECT 1 AS n UNION ALL SELECT c.n FROM t LEFT JOIN c ON 1) SELECT * FROM c;
-- 3576 (HY000): In recursive query block of Recursive Common Table Expression 'c', the recursive table must neither be in the right argument of a LEFT JOIN, nor be forced to be non-first with join order hints
WITH RECURSIVE c AS (SELECT 1 AS n UNION ALL SELECT n FROM c ORDER BY n) SELECT * FROM c;
-- 1235 (42000): This version of StreamSQL doesn't yet support 'ORDER BY over a recursive common table expression'
WITH RECURSIVE c AS (SELECT 1 AS n UNION ALL SELECT id FROM t WHERE id IN (SELECT n FROM c)) SELECT * FROM c;
-- 3577 (HY000): In recursive query block of Recursive Common Table Expression 'c', the recursive table must be referenced only once, and not in any subquery
WITH RECURSIVE a AS (SELECT 1 AS n UNION ALL SELECT n FROM b), b AS (SELECT n FROM a) SELECT * FROM a;
-- 1146 (42S02): Table 'shop.b' doesn't exist; did you mean 't'?
CREATE MATERIALIZED VIEW m AS WITH RECURSIVE c AS (SELECT id AS n FROM t UNION ALL SELECT n + 1 FROM c WHERE n < 5) SELECT * FROM c;
-- 1235 (42000): This version of StreamSQL doesn't yet support 'WITH RECURSIVE in a materialized view'
# Names, values and types.
SELECT pric FROM t;
-- 1054 (42S22): Unknown column 'pric' in 'field list'; did you mean 'price'?
SELECT t.nope FROM t;
-- 1054 (42S22): Unknown column 't.nope' in 'field list'; did you mean 'name'?
SELECT x.id FROM t;
-- 1054 (42S22): Unknown column 'x.id' in 'field list'
SELECT nope.t.id FROM t;
-- 1054 (42S22): Unknown column 'nope.t.id' in 'field list'
SELECT id FROM t, products;
-- 1052 (23000): Column 'id' in field list is ambiguous
SELECT * FROM prodcts;
-- 1146 (42S02): Table 'shop.prodcts' doesn't exist; did you mean 'products'?
SELECT * FROM nope.t;
-- 1049 (42000): Unknown database 'nope'
SELECT id FROM t ORDER BY 5;
-- 1054 (42S22): Unknown column '5' in 'order clause'
SELECT id FROM t ORDER BY nope;
-- 1054 (42S22): Unknown column 'nope' in 'order clause'; did you mean 'name'?
SELECT lenght(name) FROM t;
-- 1305 (42000): FUNCTION shop.lenght does not exist; did you mean LENGTH?
SELECT ABS(1, 2);
-- 1582 (42000): Incorrect parameter count in the call to native function 'ABS'
SELECT CONCAT();
-- 1582 (42000): Incorrect parameter count in the call to native function 'CONCAT'
SELECT NOW(7);
-- 1426 (42000): Too-big precision 7 specified for 'now'. Maximum is 6.
SELECT CAST(1 AS DECIMAL(66, 2));
-- 1426 (42000): Too-big precision 66 specified for 'cast'. Maximum is 65.
SELECT CAST(1 AS DECIMAL(2, 3));
-- 1427 (42000): For float(M,D), double(M,D) or decimal(M,D), M must be >= D (column 'cast').
SELECT CAST('x' AS UUID);
-- 1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near 'UUID)' at line 1 column 20
SELECT 9223372036854775807 + 1;
-- 1690 (22003): BIGINT value is out of range in '(9223372036854775807 + 1)'
SELECT 18446744073709551615 + 1;
-- 1690 (22003): BIGINT UNSIGNED value is out of range in '(18446744073709551615 + 1)'
SELECT -9223372036854775808 - 1;
-- 1690 (22003): BIGINT value is out of range in '(-9223372036854775808 - 1)'
SELECT CAST(1 AS UNSIGNED) - 2;
-- 1690 (22003): BIGINT UNSIGNED value is out of range in '(cast(1 as bigint unsigned) - 2)'
SELECT EXP(1000);
-- 1690 (22003): DOUBLE value is out of range in 'exp(1000)'
SELECT 'a' COLLATE nope;
-- 1273 (HY000): Unknown collation: 'nope'
SELECT 'a' COLLATE latin1_bin;
-- 1235 (42000): This version of StreamSQL doesn't yet support 'collation latin1_bin'
SELECT 'a' REGEXP '(';
-- 3691 (HY000): Mismatched parenthesis in regular expression.
SELECT JSON_EXTRACT('{', '$');
-- 3141 (22032): Invalid JSON text in argument 1 to function json_extract: "Invalid value." at position 0.
SELECT JSON_EXTRACT('{}', 'a');
-- 3143 (42000): Invalid JSON path expression. The error is around character position 1.
SELECT STR_TO_DATE('x');
-- 1582 (42000): Incorrect parameter count in the call to native function 'STR_TO_DATE'
SELECT INTERVAL 1 DAY;
-- 1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near '' at line 1 column 22
SELECT DATE '2024-02-30';
-- 1525 (HY000): Incorrect DATE value: '2024-02-30'
SELECT TIMESTAMP 'noon';
-- 1525 (HY000): Incorrect DATETIME value: 'noon'
SELECT @@nope;
-- 1193 (HY000): Unknown system variable 'nope'
SELECT ?;
-- 1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near '?' at line 1 column 8
SELECT id FROM t LIMIT 1 UNION SELECT id FROM t;
-- 1221 (HY000): Incorrect usage of UNION and LIMIT
SELECT id FROM t ORDER BY id EXCEPT SELECT id FROM t;
-- 1221 (HY000): Incorrect usage of EXCEPT and ORDER BY
SELECT id FROM t GROUP BY id WITH ROLLUP HAVING GROUPING(name) = 1;
-- 1054 (42S22): Unknown column 'name' in 'having clause'
SELECT COUNT(*) OVER (PARTITION BY nope) FROM t;
-- 1054 (42S22): Unknown column 'nope' in 'window partition by'; did you mean 'name'?
