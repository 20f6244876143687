package mysqlwire

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	"github.com/go-mysql-org/go-mysql/mysql"
)

// cpu is the processor time that this process has used.
func cpu() time.Duration {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkQuery is a round trip; cpu-µs/op counts both ends, of which the raw
// client is the smaller.
func BenchmarkQuery(b *testing.B) {
	_, _, addr := start(b, Options{})
	c := dial(b, addr)
	c.login("root", "")
	c.SetDeadline(time.Time{})
	buf := make([]byte, 4096)
	from := cpu()
	b.ResetTimer()
	for b.Loop() {
		c.send(0, mysql.COM_QUERY, "rows 1")
		if _, err := c.Read(buf); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64((cpu()-from).Microseconds())/float64(b.N), "cpu-µs/op")
}

// BenchmarkRows counts rows of four columns through a socket that is drained.
func BenchmarkRows(b *testing.B) {
	const rows = 1 << 20
	for _, binary := range []bool{false, true} {
		b.Run(fmt.Sprintf("binary=%v", binary), func(b *testing.B) {
			_, _, addr := start(b, Options{})
			c := dial(b, addr)
			c.login("root", "")
			c.SetDeadline(time.Time{})
			text := fmt.Sprint("rows ", rows)
			var id string
			if binary {
				c.send(0, mysql.COM_STMT_PREPARE, text)
				id = string(c.recv()[1:5])
			}
			buf := make([]byte, 1<<18)
			for b.Loop() {
				if binary {
					c.send(0, mysql.COM_STMT_EXECUTE, id+"\x00\x01\x00\x00\x00")
				} else {
					c.send(0, mysql.COM_QUERY, text)
				}
				for last := [4]byte{}; ; { // the end of rows is a packet with the payload fe 00 00 02 00
					n, err := c.Read(buf)
					if err != nil {
						b.Fatal(err)
					}
					if n >= 4 {
						copy(last[:], buf[n-4:n])
					}
					if n >= 5 && buf[n-5] == 0xfe && last == [4]byte{0, 0, 2, 0} {
						break
					}
				}
			}
			b.ReportMetric(rows*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}
