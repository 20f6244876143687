# Windows of time.
SELECT COUNT(*) FROM TUMBLE(bids, ts, INTERVAL 1 MONTH);
-- 1235 (42000): This version of StreamSQL doesn't yet support 'TUMBLE by MONTH (months and years differ in length; DAY and WEEK do not)'
SELECT COUNT(*) FROM HOP(bids, ts, INTERVAL 1 DAY, INTERVAL 1 YEAR);
-- 1235 (42000): This version of StreamSQL doesn't yet support 'HOP by YEAR (months and years differ in length; DAY and WEEK do not)'
SELECT COUNT(*) FROM TUMBLE(bids, ts);
-- 1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near ')' at line 1 column 37; it is TUMBLE(table, time, INTERVAL size [, INTERVAL offset])
SELECT COUNT(*) FROM TUMBLE(bids, INTERVAL 1 SECOND);
-- 1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near 'INTERVAL 1 SECOND)' at line 1 column 35; it is TUMBLE(table, time, INTERVAL size [, INTERVAL offset])
SELECT COUNT(*) FROM TUMBLE(bids);
-- 1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near ')' at line 1 column 33; it is TUMBLE(table, time, INTERVAL size [, INTERVAL offset])
SELECT COUNT(*) FROM HOP(bids, ts, INTERVAL 1 SECOND);
-- 1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near ')' at line 1 column 53; it is HOP(table, time, INTERVAL slide, INTERVAL size [, INTERVAL offset])
SELECT COUNT(*) FROM CUMULATE(bids, ts, INTERVAL 1 HOUR);
-- 1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near ')' at line 1 column 56; it is CUMULATE(table, time, INTERVAL step, INTERVAL max [, INTERVAL offset])
SELECT COUNT(*) FROM TUMBLE(bids, ts, INTERVAL 1 SECOND, INTERVAL 1 SECOND, INTERVAL 1 SECOND);
-- 1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near 'INTERVAL 1 SECOND)' at line 1 column 77; it is TUMBLE(table, time, INTERVAL size [, INTERVAL offset])
SELECT COUNT(*) FROM SESSION(bids, ts, INTERVAL 30 SECOND, INTERVAL 1 SECOND);
-- 1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near 'INTERVAL 1 SECOND)' at line 1 column 60; it is SESSION(table, time, INTERVAL gap [, PARTITION BY column, …])
SELECT COUNT(*) FROM SESSION(bids, ts, INTERVAL 30 SECOND, PARTITION BY nope);
-- 1054 (42S22): Unknown column 'nope' in 'window'
SELECT COUNT(*) FROM TUMBLE(bids, price, INTERVAL 1 SECOND);
-- 1210 (HY000): Incorrect arguments to TUMBLE: column 'price' is not a DATETIME, TIMESTAMP or DATE
SELECT COUNT(*) FROM TUMBLE(bids, nope, INTERVAL 1 SECOND);
-- 1054 (42S22): Unknown column 'nope' in 'window'
SELECT COUNT(*) FROM TUMBLE(nope, ts, INTERVAL 1 SECOND);
-- 1146 (42S02): Table 'shop.nope' doesn't exist
SELECT COUNT(*) FROM TUMBLE(bids, ts, INTERVAL 0 SECOND);
-- 1210 (HY000): Incorrect arguments to TUMBLE: the size must be positive
SELECT COUNT(*) FROM TUMBLE(bids, ts, INTERVAL -1 SECOND);
-- 1210 (HY000): Incorrect arguments to TUMBLE: the size must be positive
SELECT COUNT(*) FROM TUMBLE(bids, ts, 10);
-- 1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near '10)' at line 1 column 39; it is TUMBLE(table, time, INTERVAL size [, INTERVAL offset])
SELECT COUNT(*) FROM TUMBLE(bids, ts, INTERVAL price SECOND);
-- 1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near 'price SECOND)' at line 1 column 48; it is TUMBLE(table, time, INTERVAL size [, INTERVAL offset])
SELECT COUNT(*) FROM TUMBLE(bids, ts, INTERVAL NULL SECOND);
-- 1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near 'NULL SECOND)' at line 1 column 48; it is TUMBLE(table, time, INTERVAL size [, INTERVAL offset])
SELECT COUNT(*) FROM CUMULATE(bids, ts, INTERVAL 7 SECOND, INTERVAL 10 SECOND);
-- 1210 (HY000): Incorrect arguments to CUMULATE: the largest size must be a multiple of the step
SELECT COUNT(*) FROM CUMULATE(bids, ts, INTERVAL 10 SECOND, INTERVAL 1 SECOND);
-- 1210 (HY000): Incorrect arguments to CUMULATE: the largest size must be a multiple of the step
SELECT COUNT(*) FROM HOP(bids, ts, INTERVAL 1 MICROSECOND, INTERVAL 10 DAY);
-- 1210 (HY000): Incorrect arguments to HOP: INTERVAL 1 MICROSECOND is finer than 'ts'
SELECT COUNT(*) FROM TUMBLE(TUMBLE(bids, ts, INTERVAL 1 SECOND), ts, INTERVAL 10 SECOND);
-- 1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near '(bids, ts, INTERVAL 1 SECOND), ts, INTERVAL 10 SECOND)' at line 1 column 35; it is TUMBLE(table, time, INTERVAL size [, INTERVAL offset])
SELECT COUNT(*) FROM TUMBLING(bids, ts, INTERVAL 10 SECOND);
-- 1235 (42000): This version of StreamSQL doesn't yet support 'TUMBLING(…) in FROM (there are TUMBLE, HOP, SESSION, CUMULATE, CHANGES and JSON_TABLE)'
SELECT COUNT(*) FROM TUMBLE(t, day, INTERVAL 1 HOUR);
-- 1210 (HY000): Incorrect arguments to TUMBLE: INTERVAL 1 HOUR is finer than 'day'
SELECT TUMBLE(ts, INTERVAL 1 SECOND) FROM bids;
-- 1235 (42000): This version of StreamSQL doesn't yet support 'TUMBLE(…) outside of FROM and GROUP BY'
SELECT TUMBLE_START(ts, INTERVAL 1 SECOND), COUNT(*) FROM bids;
-- 1111 (HY000): TUMBLE_START needs the same TUMBLE in GROUP BY
SELECT TUMBLE_START(ts, INTERVAL 2 SECOND), COUNT(*) FROM bids GROUP BY TUMBLE(ts, INTERVAL 1 SECOND);
-- 1111 (HY000): TUMBLE_START needs the same TUMBLE in GROUP BY
SELECT HOP_END(ts, INTERVAL 1 SECOND), COUNT(*) FROM bids GROUP BY TUMBLE(ts, INTERVAL 1 SECOND);
-- 1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near '), COUNT(*) FROM bids GROUP BY TUMBLE(ts, INTERVAL 1 SECOND)' at line 1 column 37; it is HOP_END(time, INTERVAL slide, INTERVAL size [, INTERVAL offset])
SELECT COUNT(*) FROM bids GROUP BY TUMBLE(ts, INTERVAL 1 SECOND), TUMBLE(ts, INTERVAL 2 SECOND);
-- 1235 (42000): This version of StreamSQL doesn't yet support 'two windows in GROUP BY'
SELECT COUNT(*) FROM bids GROUP BY TUMBLE(ts, INTERVAL 1 MONTH);
-- 1235 (42000): This version of StreamSQL doesn't yet support 'TUMBLE by MONTH (months and years differ in length; DAY and WEEK do not)'
SELECT window_start FROM bids;
-- 1054 (42S22): Unknown column 'window_start' in 'field list'
# The result policy.
SELECT bidder, COUNT(*) FROM bids GROUP BY bidder EMIT ON WINDOW CLOSE;
-- 1235 (42000): This version of StreamSQL doesn't yet support 'EMIT ON WINDOW CLOSE outside of CREATE MATERIALIZED VIEW: it comes last in a query that stays'
CREATE MATERIALIZED VIEW m AS SELECT bidder, COUNT(*) AS n FROM bids GROUP BY bidder EMIT ON WINDOW CLOSE;
-- 1235 (42000): This version of StreamSQL doesn't yet support 'EMIT ON WINDOW CLOSE where no window_end, of a stream with WATERMARK FOR, tells when a row is final'
CREATE MATERIALIZED VIEW m AS SELECT window_end, COUNT(*) AS n FROM TUMBLE(t, day, INTERVAL 1 DAY) GROUP BY window_end EMIT ON WINDOW CLOSE;
-- 1235 (42000): This version of StreamSQL doesn't yet support 'EMIT ON WINDOW CLOSE where no window_end, of a stream with WATERMARK FOR, tells when a row is final'
CREATE MATERIALIZED VIEW m AS SELECT bidder FROM bids EMIT FINAL;
-- 1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near 'FINAL' at line 1 column 60
CREATE MATERIALIZED VIEW m AS SELECT bidder FROM bids EMIT ON CLOSE;
-- 1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near 'ON CLOSE' at line 1 column 60
CREATE VIEW m AS SELECT bidder FROM bids EMIT CHANGES;
-- 1235 (42000): This version of StreamSQL doesn't yet support 'EMIT CHANGES outside of CREATE MATERIALIZED VIEW: it comes last in a query that stays'
# Options and time.
CREATE MATERIALIZED VIEW m WITH (allowed_lateness = 'soon') AS SELECT bidder FROM bids;
-- 1210 (HY000): allowed_lateness is a time such as '5 s' or '10 minutes', not 'soon'
CREATE MATERIALIZED VIEW m WITH (allowed_latenes = '5 s') AS SELECT bidder FROM bids;
-- 1210 (HY000): Unknown option 'allowed_latenes' in WITH; known here: allowed_lateness, late_rows, on_error, history, parallelism
CREATE MATERIALIZED VIEW m WITH (history = 5) AS SELECT bidder FROM bids;
-- 1210 (HY000): history is for how long a view keeps its changes, such as '1 hour', not '5'
CREATE MATERIALIZED VIEW m WITH (late_rows = 't') AS SELECT window_start, COUNT(*) AS n FROM TUMBLE(bids, ts, INTERVAL 1 SECOND) GROUP BY window_start;
-- 1210 (HY000): 'shop.t' cannot take late rows of 'shop.bids': it is not a stream table without a primary key and a connector
CREATE MATERIALIZED VIEW m WITH (late_rows = 'm_late') AS SELECT bidder FROM bids;
-- 1210 (HY000): late_rows is for a view with windows of time (TUMBLE, HOP, SESSION or CUMULATE)
CREATE MATERIALIZED VIEW m AS SELECT bidder, NOW() AS seen FROM sales;
-- 1235 (42000): This version of StreamSQL doesn't yet support 'NOW() over rows that can be retracted'
CREATE MATERIALIZED VIEW m AS SELECT id, RAND() AS r FROM t;
-- 1235 (42000): This version of StreamSQL doesn't yet support 'RAND() in a materialized view'
CREATE MATERIALIZED VIEW m AS SELECT id, UUID() AS u FROM t;
-- 1235 (42000): This version of StreamSQL doesn't yet support 'UUID() in a materialized view'
CREATE MATERIALIZED VIEW m AS SELECT id FROM t WHERE day > NOW() - INTERVAL 1 MONTH;
-- 1235 (42000): This version of StreamSQL doesn't yet support 'NOW() in a condition of a materialized view, other than `column < NOW() - INTERVAL …` and the like'
CREATE MATERIALIZED VIEW m AS SELECT id FROM t WHERE YEAR(day) = YEAR(NOW());
-- 1235 (42000): This version of StreamSQL doesn't yet support 'NOW() in a condition of a materialized view, other than `column < NOW() - INTERVAL …` and the like'
CREATE MATERIALIZED VIEW m AS SELECT id FROM t WHERE id = @x;
-- 1351 (HY000): View's SELECT contains a variable or parameter
CREATE MATERIALIZED VIEW m AS SELECT id FROM t WHERE id = @@max_connections;
-- 1351 (HY000): View's SELECT contains a variable or parameter
CREATE MATERIALIZED VIEW m AS SELECT name FROM t WHERE name = CONNECTION_ID();
-- 1235 (42000): This version of StreamSQL doesn't yet support 'CONNECTION_ID() in a materialized view'
CREATE MATERIALIZED VIEW m AS SELECT bidder, PROCTIME() AS at FROM bids;
-- 1305 (42000): FUNCTION shop.PROCTIME does not exist
