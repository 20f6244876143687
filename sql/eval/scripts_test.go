package eval

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"streamsql/sql/sqlerr"
)

func failure(err error) string {
	e := sqlerr.From(err)
	return fmt.Sprintf("error %d (%s): %s", e.Code, e.State, e.Message)
}

// TestScripts runs testdata/*: each line of an eval is an expression, answered
// by its type and value, or its error.
func TestScripts(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			var out strings.Builder
			for _, line := range strings.Split(d.Input, "\n") {
				out.WriteString(show(line) + "\n")
			}
			return out.String()
		})
	})
}
