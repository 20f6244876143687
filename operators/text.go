package operators

import (
	"time"

	"streamsql/sql/vector"
)

// maxRowText bounds what a row error shows of a row, in bytes.
const maxRowText = 1024

// rowText shows row i as the list of its values.
func rowText(cols []*vector.Vector, i int, loc *time.Location) string {
	b := []byte{'('}
	for k, v := range cols {
		if k > 0 {
			b = append(b, ", "...)
		}
		if v.IsNull(i) {
			b = append(b, "NULL"...)
		} else {
			b = v.AppendText(b, i, loc)
		}
		if len(b) > maxRowText {
			return string(b[:maxRowText]) + "…)"
		}
	}
	return string(append(b, ')'))
}
