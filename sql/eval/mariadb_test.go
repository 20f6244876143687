package eval

import (
	"bufio"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	osexec "os/exec"
	"os/user"
	"path/filepath"
	"strings"
	"testing"
	"time"

	_ "github.com/go-sql-driver/mysql"

	"streamsql/sql/expr"
	"streamsql/sql/types"
	"streamsql/sql/vector"
)

// The scripts' expressions, and others over columns, are also put to a MariaDB, which
// is MySQL's next of kin. Where the two differ MySQL wins: those are listed below.

// otherwise are the expressions that MariaDB answers differently, and why.
var otherwise = map[string]string{
	"2.5e0 & 3": "MySQL rounds a double half to even on its way to an integer",
	"CAST('2024-01-02 03:04:05.678' AS DATETIME)":    "MySQL rounds the digits of a second that it drops",
	"CAST('2024-01-02 03:04:05.678' AS DATETIME(2))": "so",
	"CAST('2024-01-02 23:59:59.999' AS DATETIME(1))": "so",
	"CAST(t AS TIME)":                               "so",
	"CAST(t AS DATETIME)":                           "so",
	"1/3*3 = 1":                                     "MySQL compares the digits of a quotient that do not show",
	"STR_TO_DATE('abc', 'abc')":                     "MySQL 8 starts with NO_ZERO_DATE",
	"STR_TO_DATE('31/02/2024', '%d/%m/%Y')":         "MySQL refuses a day that its month does not have",
	"FROM_UNIXTIME(ABS(i))":                         "MySQL 8.0.28 goes on until the year 3001",
	"JSON_EXTRACT('{bad', '$')":                     "MySQL says what is wrong, and knows MEMBER OF",
	"JSON_EXTRACT('[1]', 'a')":                      "so",
	"JSON_EXTRACT('[1]', '$[')":                     "so",
	"JSON_EXTRACT('[1]', '$.')":                     "so",
	"JSON_VALID(1)":                                 "so",
	"JSON_TYPE('18446744073709551615')":             "MySQL tells it from INTEGER",
	"JSON_KEYS('{\"bb\": 1, \"a\": 2, \"ab\": 3}')": "MySQL orders members by the length of their keys, then by their bytes, and keeps the last of one key",
	"JSON_ARRAY(1, 2.50, 'x\"y', NULL, TRUE, 1e0, CAST('2024-01-02' AS DATE))": "MySQL shows that 1e0 is a DOUBLE",
	"JSON_OBJECT('bb', 1, 'a', NULL, 'bb', 2)":                                 "MySQL orders members by the length of their keys, then by their bytes, and keeps the last of one key",
	"JSON_OBJECT(NULL, 1)":                            "so",
	"JSON_CONTAINS('{\"a\": 1}', '1', '$.z')":         "so",
	"JSON_CONTAINS_PATH('{\"a\": 1}', 'some', '$.a')": "so",
	"JSON_SET('[1]', '$[*]', 2)":                      "so",
	"JSON_REMOVE('{\"a\": 1}', '$')":                  "so",
	"JSON_ARRAY_INSERT('[1]', '$', 2)":                "so",
	"2 MEMBER OF('[1, 2, 3]')":                        "so",
	"'a' MEMBER OF('[1, \"a\"]')":                     "so",
	"JSON_EXTRACT(1, '$')":                            "so",
	"TIMEDIFF(t, y)":                                  "MySQL clamps to the range of TIME",
}

// startMariaDB starts a server of our own and connects to it. Without one on this
// machine the test is skipped, but fails where CI is set.
func startMariaDB(t *testing.T) *sql.DB {
	t.Helper()
	if testing.Short() {
		t.Skip("-short: no server is started")
	}
	server, err := osexec.LookPath("mariadbd")
	if err == nil {
		_, err = osexec.LookPath("mariadb-install-db")
	}
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("the comparison with MariaDB needs mariadbd: ", err)
		}
		t.Skip("no MariaDB to compare with: ", err)
	}
	dir := t.TempDir()
	me, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	data := filepath.Join(dir, "data")
	install := osexec.Command("mariadb-install-db", "--no-defaults", "--datadir="+data, "--user="+me.Username,
		"--auth-root-authentication-method=normal", "--skip-test-db")
	if out, err := install.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := listener.Addr().(*net.TCPAddr).Port
	_ = listener.Close()
	cmd := osexec.Command(server, "--no-defaults", "--datadir="+data, "--socket="+filepath.Join(dir, "s"), "--user="+me.Username,
		fmt.Sprintf("--port=%d", port), "--bind-address=127.0.0.1", "--skip-log-bin", "--innodb-buffer-pool-size=16M",
		"--character-set-server=utf8mb4", "--collation-server=utf8mb4_bin", "--default-time-zone=+00:00")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	db, err := sql.Open("mysql", fmt.Sprintf("root@tcp(127.0.0.1:%d)/?collation=utf8mb4_bin", port))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	db.SetMaxOpenConns(1)
	for start := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		if err = db.Ping(); err == nil {
			break
		}
		if time.Since(start) > time.Minute {
			t.Fatal("MariaDB does not answer: ", err)
		}
	}
	for _, q := range []string{"SET time_zone='+00:00', timestamp=1714979289.123456", "CREATE DATABASE d", "USE d"} {
		if _, err := db.Exec(q); err != nil {
			t.Fatal(err)
		}
	}
	return db
}

// scriptLines are the expressions of the scripts, but for those about errors.
func scriptLines(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/*")
	if err != nil || len(files) == 0 {
		t.Fatal("no scripts: ", err)
	}
	var out []string
	for _, name := range files {
		if strings.HasSuffix(name, "errors") {
			continue
		}
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		in := false
		for s := bufio.NewScanner(f); s.Scan(); {
			switch line := s.Text(); {
			case line == "eval":
				in = true
			case line == "----":
				in = false
			case in && line != "":
				out = append(out, line)
			}
		}
		_ = f.Close()
	}
	return out
}

func TestAgainstMariaDB(t *testing.T) {
	db := startMariaDB(t)
	t.Run("constants", func(t *testing.T) { compareConstants(t, db) })
	t.Run("columns", func(t *testing.T) { compareColumns(t, db) })
}

func compareConstants(t *testing.T, db *sql.DB) {
	for _, src := range scriptLines(t) {
		if _, known := otherwise[src]; known {
			continue
		}
		var want sql.NullString
		err := db.QueryRow("SELECT CONCAT(" + src + ")").Scan(&want)
		got := show(src)
		if err != nil {
			if !strings.HasPrefix(got, "error") {
				t.Errorf("%s: %s, but MariaDB says %v", src, got, err)
			}
			continue
		}
		if v := valueOnly(src); v != want {
			t.Errorf("%s: %q, MariaDB %q", src, v.String, want.String)
		}
	}
}

// valueOnly computes a constant expression; errors come as text.
func valueOnly(src string) sql.NullString {
	e, err := scope{}.build(src)
	if err != nil {
		return sql.NullString{String: failure(err), Valid: true}
	}
	v, err := Const(e, testContext())
	switch {
	case err != nil:
		return sql.NullString{String: failure(err), Valid: true}
	case v.Null:
		return sql.NullString{}
	}
	return sql.NullString{String: literal(v, e.Type), Valid: true}
}

// tableColumn is a column of the table that both sides hold.
type tableColumn struct {
	name, sqlType string
	t             types.Type
	values        []string // SQL literals to draw from
}

var columns = []tableColumn{
	{"i", "INT", types.Type{Kind: types.Int}, []string{"0", "1", "-1", "7", "-13", "100", "2147483647", "-2147483648"}},
	{"b", "BIGINT", types.Type{Kind: types.BigInt}, []string{"0", "3", "-5", "1000000007", "9223372036854775807", "-9223372036854775807"}},
	{"u", "BIGINT UNSIGNED", types.Type{Kind: types.BigInt, Unsigned: true}, []string{"0", "2", "10", "18446744073709551615", "9223372036854775808"}},
	{"d", "DECIMAL(12,3)", types.MakeDecimal(12, 3), []string{"0", "1.5", "-2.345", "999999999.999", "0.001", "-100"}},
	{"w", "DECIMAL(40,10)", types.MakeDecimal(40, 10), []string{"0", "123456789012345678901234567890.0123456789", "-1.5", "0.0000000001"}},
	{"f", "DOUBLE", types.MakeDouble(), []string{"0", "1.5", "-2.25", "1e10", "0.1", "-1e-5", "3"}},
	{"s", "VARCHAR(20)", types.MakeVarChar(20), []string{"''", "'a'", "'A'", "'abc'", "'héé海'", "'12'", "'1.5x'", "'a '", "'x,y'"}},
	{"t", "DATETIME(3)", types.MakeDateTime(3), []string{"'2024-01-31 00:00:00'", "'2024-02-29 23:59:59.999'", "'1999-12-31 12:30:45.5'", "'2023-03-01'"}},
	{"y", "DATE", types.Type{Kind: types.Date}, []string{"'2024-01-01'", "'2000-02-29'", "'1970-01-01'", "'2024-12-31'"}},
	{"h", "TIME", types.Type{Kind: types.Time}, []string{"'10:11:12'", "'-01:00:00'", "'838:59:59'", "'00:00:00'"}},
}

// overColumns are the expressions that are compared row by row.
var overColumns = []string{
	"i + 1", "i * 3 - b", "i + u", "i - 1", "-i", "-d", "i / 3", "i DIV 3", "i % 7", "b % 3", "u % 3", "u DIV 2", "d + i", "d * 2", "d * d", "d - w", "d + w", "w * 2",
	"d / 7", "i / d", "d % 1.5", "d DIV 2", "w / 3", "1 / i * i", "f + 1", "f * f", "f / 3", "f % 2", "i + f", "s + 1", "s * 2", "i & 7", "b | 1", "~i", "i << 2", "u >> 3",
	"i = 7", "i > b", "i < u", "u > b", "i = u", "d = i", "d > 1.5", "d < w", "w = d", "f > d", "f = i", "s = 'a'", "s > 'a'", "s = 12", "s <> i", "s <=> 'A'", "i <=> NULL",
	"t > '2024-01-31'", "t = y", "y < t", "y = '2024-01-01'", "y = 20240101", "h > '10:00:00'", "t BETWEEN '2000-01-01' AND '2024-02-01'",
	"i BETWEEN -5 AND 50", "d NOT BETWEEN 0 AND i", "i IN (1, 7, NULL)", "s IN ('a', 'abc')", "s NOT IN ('a', 'abc')", "d IN (1.5, 0)", "i IN (b, 7)", "y IN ('2024-01-01', '1970-01-01')",
	"i > 0 AND d > 0", "i > 0 OR d > 0", "i > 0 XOR d > 0", "NOT i", "NOT (i > 0 AND s = 'a')", "i IS NULL", "d IS NOT NULL", "(i > 0) IS TRUE", "(i > 0) IS NOT FALSE",
	"CASE WHEN i > 0 THEN 'pos' WHEN i < 0 THEN 'neg' ELSE 'zero' END", "CASE i WHEN 1 THEN d WHEN 7 THEN i END", "IF(i > 0, d, f)", "IF(i = 0, NULL, 100 / i)", "IFNULL(i, 0)",
	"COALESCE(d, i, 5)", "COALESCE(s, 'none')", "NULLIF(i, 7)", "NULLIF(s, 'a')", "IFNULL(t, y)", "GREATEST(i, 5)", "LEAST(d, i, 2.5)", "GREATEST(s, 'b')",
	"ABS(i)", "ABS(d)", "CEIL(d)", "FLOOR(d)", "ROUND(d)", "ROUND(d, 1)", "ROUND(d, -1)", "ROUND(d, i % 3)", "TRUNCATE(d, 2)", "ROUND(f)", "ROUND(f, 1)", "FLOOR(f)", "SIGN(d)", "SQRT(ABS(f))", "MOD(d, 7)",
	"CONCAT(s, '-', i)", "CONCAT(s, d, f)", "CONCAT_WS('/', i, s, y)", "LENGTH(s)", "CHAR_LENGTH(s)", "UPPER(s)", "LOWER(s)", "SUBSTRING(s, 2)", "SUBSTRING(s, i, 2)", "LEFT(s, 2)", "RIGHT(s, 2)",
	"TRIM(s)", "LPAD(s, 5, '*')", "RPAD(s, 3, 'xy')", "REPLACE(s, 'a', 'bb')", "REVERSE(s)", "INSTR(s, 'b')", "LOCATE('c', s)", "SUBSTRING_INDEX(s, ',', 1)", "ASCII(s)", "HEX(s)", "HEX(i)", "MD5(s)", "CRC32(s)",
	"s LIKE 'a%'", "s LIKE '%b_'", "s NOT LIKE '%é%'", "FIND_IN_SET(s, 'a,abc')", "FIELD(s, 'a', 'abc')", "ELT(2, s, i)", "STRCMP(s, 'abc')", "FORMAT(d, 2)",
	"CAST(d AS SIGNED)", "CAST(i AS UNSIGNED)", "CAST(f AS SIGNED)", "CAST(s AS SIGNED)", "CAST(s AS DECIMAL(6,2))", "CAST(d AS DECIMAL(6,1))", "CAST(i AS CHAR)", "CAST(d AS CHAR)", "CAST(f AS CHAR)", "CAST(t AS CHAR)", "CAST(t AS DATE)",
	"CAST(y AS DATETIME)", "CAST(t AS TIME)", "CAST(y AS SIGNED)", "CAST(t AS DATETIME)", "CAST(h AS CHAR)", "CAST(s AS CHAR(2))", "y + 0", "t + 0", "h + 0", "CAST(d AS DOUBLE)", "CAST(w AS DOUBLE)",
	"YEAR(t)", "MONTH(y)", "DAY(t)", "HOUR(t)", "HOUR(h)", "MINUTE(h)", "SECOND(t)", "MICROSECOND(t)", "DAYOFWEEK(y)", "WEEKDAY(y)", "DAYOFYEAR(t)", "WEEK(y)", "WEEK(y, 3)", "YEARWEEK(y)", "QUARTER(t)", "LAST_DAY(y)", "DAYNAME(y)", "MONTHNAME(t)", "DATE(t)", "TIME(t)", "TO_DAYS(y)",
	"y + INTERVAL 1 MONTH", "y - INTERVAL 1 DAY", "t + INTERVAL 90 MINUTE", "t + INTERVAL i DAY", "y + INTERVAL 2 HOUR", "t - INTERVAL '1:30' MINUTE_SECOND", "h + INTERVAL 1 SECOND", "DATEDIFF(t, y)", "TIMESTAMPDIFF(MONTH, y, t)", "TIMESTAMPDIFF(HOUR, y, t)", "TIMESTAMPDIFF(SECOND, t, y)",
	"DATE_FORMAT(t, '%Y-%m-%d %H:%i:%s.%f')", "DATE_FORMAT(y, '%W %D %M %Y %j %U %u')", "EXTRACT(YEAR_MONTH FROM y)", "EXTRACT(DAY_SECOND FROM t)", "TIME_TO_SEC(h)", "SEC_TO_TIME(i % 1000)", "UNIX_TIMESTAMP(t)", "UNIX_TIMESTAMP(y)", "FROM_UNIXTIME(ABS(i))", "TIMEDIFF(t, y)", "ADDTIME(t, '01:00:00')",
	"CASE LOWER(s) WHEN 'a' THEN 'x' WHEN 'abc ' THEN s WHEN 'a' THEN 'again' WHEN NULL THEN 'no' ELSE CONCAT(s, '?') END", "CASE s WHEN 'a' THEN i WHEN 'abc' THEN 100 / i END",
	"CASE i WHEN 7 THEN 'seven' WHEN -1 THEN s WHEN 7 THEN 'again' END", "CASE i + 1 WHEN 8 THEN s WHEN 2 THEN NULL ELSE d END", "LOWER(s) IN ('a ', 'abc', NULL)", "CASE WHEN s IN ('a', 'b') THEN s END",
	"STR_TO_DATE(CAST(y AS CHAR), '%Y-%m-%d')", "MAKEDATE(2024, i)", "MAKETIME(i % 24, 10, 20)",
}

// drawTable makes n random rows: as an INSERT, and as vectors.
func drawTable(t *testing.T, n int) (insert string, vectors []*vector.Vector, s scope) {
	rng := rand.New(rand.NewPCG(7, 7))
	s = scope{}
	for k, c := range columns {
		s[c.name] = expr.NewColumn(k, c.name, c.t)
		vectors = append(vectors, vector.New(c.t, n))
	}
	var b strings.Builder
	b.WriteString("INSERT INTO t VALUES ")
	for row := range n {
		if row > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "(%d", row)
		for k, c := range columns {
			lit := "NULL"
			if rng.IntN(6) > 0 {
				lit = c.values[rng.IntN(len(c.values))]
			}
			b.WriteString("," + lit)
			appendLiteral(t, vectors[k], lit)
		}
		b.WriteByte(')')
	}
	return b.String(), vectors, s
}

// appendLiteral stores a literal as an INSERT would.
func appendLiteral(t *testing.T, v *vector.Vector, lit string) {
	t.Helper()
	e, err := scope{}.build(lit)
	if err != nil {
		t.Fatal(err)
	}
	a, err := builtinAssign(e, v.Type)
	if err != nil {
		t.Fatal(err)
	}
	val, err := Const(a, testContext())
	if err != nil {
		t.Fatalf("%s into %s: %v", lit, v.Type, err)
	}
	v.AppendFrom(val.Vector(v.Type), 0)
}

func compareColumns(t *testing.T, db *sql.DB) {
	const rows = 300
	insert, vectors, s := drawTable(t, rows)
	ddl := "CREATE TABLE t (n INT PRIMARY KEY"
	for _, c := range columns {
		ddl += fmt.Sprintf(", %s %s", c.name, c.sqlType)
	}
	for _, q := range []string{ddl + ")", insert} {
		if _, err := db.Exec(q); err != nil {
			t.Fatal(err)
		}
	}
	for _, src := range overColumns {
		if _, known := otherwise[src]; known {
			continue
		}
		e, err := s.build(src)
		if err != nil {
			t.Errorf("%s: %v", src, err)
			continue
		}
		p, err := Compile(e)
		if err != nil {
			t.Errorf("%s: %v", src, err)
			continue
		}
		failed := map[int]error{}
		ctx := testContext()
		ctx.Fail = func(row int, err error) { failed[row] = err }
		got, err := p.Eval(ctx, vectors, rows)
		if err != nil {
			t.Errorf("%s: %v", src, err)
			continue
		}
		compareRows(t, db, src, got, failed, vectors)
	}
}

// compareRows asks for each row on its own where ours failed, else for all at once.
func compareRows(t *testing.T, db *sql.DB, src string, got *vector.Vector, failed map[int]error, vectors []*vector.Vector) {
	t.Helper()
	bad := 0
	check := func(row int, want sql.NullString) {
		v := sql.NullString{Valid: !got.IsNull(row)}
		if v.Valid {
			v.String = string(got.AppendText(nil, row, nil))
		}
		if v != want && bad < 3 {
			bad++
			t.Errorf("%s, of %s: %q (%s), MariaDB %q", src, describe(vectors, row), v.String, got.Type, want.String)
		}
	}
	var list []string
	for row := range failed {
		list = append(list, fmt.Sprint(row))
		var want sql.NullString
		if err := db.QueryRow("SELECT CONCAT(" + src + ") FROM t WHERE n = " + fmt.Sprint(row)).Scan(&want); err == nil && bad < 3 {
			bad++
			t.Errorf("%s, of %s: %v, MariaDB %q", src, describe(vectors, row), failed[row], want.String)
		}
	}
	q := "SELECT n, CONCAT(" + src + ") FROM t"
	if len(list) > 0 {
		q += " WHERE n NOT IN (" + strings.Join(list, ",") + ")"
	}
	rows, err := db.Query(q)
	if err != nil {
		t.Errorf("%s: %v", src, err)
		return
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var row int
		var want sql.NullString
		if err := rows.Scan(&row, &want); err != nil {
			t.Fatal(err)
		}
		check(row, want)
	}
	if err := rows.Err(); err != nil {
		t.Errorf("%s: MariaDB fails where we do not: %v", src, err)
	}
}

// describe shows a row.
func describe(vectors []*vector.Vector, row int) string {
	var b strings.Builder
	for k, v := range vectors {
		fmt.Fprintf(&b, "%s=", columns[k].name)
		if v.IsNull(row) {
			b.WriteString("NULL ")
		} else {
			b.Write(append(v.AppendText(nil, row, nil), ' '))
		}
	}
	return b.String()
}
