-- Sellers by their total, in buckets of ten, kept up to date as trades come in.
CREATE DATABASE shop;
USE shop;
CREATE STREAM TABLE trades (seller BIGINT NOT NULL, buyer BIGINT, amount DECIMAL(12,2), ts DATETIME(3));
CREATE MATERIALIZED VIEW sales  AS SELECT seller, SUM(amount) AS total, COUNT(*) AS n FROM trades GROUP BY seller;
CREATE MATERIALIZED VIEW bucket AS SELECT FLOOR(total/10) AS b, COUNT(*) AS sellers FROM sales GROUP BY FLOOR(total/10);

INSERT INTO trades VALUES (11, 1, 5.00, NOW(3)), (12, 2, 31.50, NOW(3));
SELECT * FROM bucket ORDER BY b;

-- Seller 11 leaves bucket 0 for bucket 2: the old result is taken back.
INSERT INTO trades VALUES (11, 3, 16.00, NOW(3));
SELECT * FROM bucket ORDER BY b;
