package file

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"streamsql/operators/connector"
	"streamsql/operators/state"
	"streamsql/sql/builtin"
	"streamsql/sql/eval"
	"streamsql/sql/expr"
	"streamsql/sql/types"
	"streamsql/sql/vector"
)

// texts are the values of a file as text, before they become values of columns.
type texts struct {
	cols  []*vector.Vector
	lines []int // of each row
}

var textType = types.Type{Kind: types.Text, Len: 1<<32 - 1}

func newTexts(cols []connector.Column) *texts {
	t := &texts{}
	for range cols {
		t.cols = append(t.cols, vector.New(textType, 0))
	}
	return t
}

// readCSV reads a file whose first line names the columns, in any order. A
// field \N is NULL, and so is an empty one of a column that is not text.
func readCSV(text []byte, cols []connector.Column) ([]*vector.Vector, int, error) {
	r := csv.NewReader(bytes.NewReader(text))
	r.ReuseRecord = true
	head, err := r.Read()
	if err != nil {
		return nil, 0, fmt.Errorf("it has no line with the names of its columns")
	}
	at := make([]int, len(cols))
	for i, c := range cols {
		at[i] = slices.IndexFunc(head, func(name string) bool { return strings.EqualFold(strings.TrimSpace(name), c.Name) })
		if at[i] < 0 {
			return nil, 0, fmt.Errorf("it has no column '%s'", c.Name)
		}
	}
	t := newTexts(cols)
	for {
		record, err := r.Read()
		if errors.Is(err, io.EOF) {
			return t.values(cols)
		}
		if err != nil {
			return nil, 0, err
		}
		line, _ := r.FieldPos(0)
		t.lines = append(t.lines, line)
		for i, c := range cols {
			if f := record[at[i]]; f == `\N` || f == "" && !c.Type.IsText() {
				t.cols[i].AppendNull()
			} else {
				t.cols[i].AppendString(f)
			}
		}
	}
}

// readJSON reads an object a line; a column that it lacks is NULL.
func readJSON(text []byte, cols []connector.Column) ([]*vector.Vector, int, error) {
	t := newTexts(cols)
	line := 0
	for raw := range bytes.Lines(text) {
		line++
		if raw = bytes.TrimSpace(raw); len(raw) == 0 {
			continue
		}
		var object map[string]json.RawMessage
		if err := json.Unmarshal(raw, &object); err != nil {
			return nil, 0, fmt.Errorf("line %d: %w", line, err)
		}
		t.lines = append(t.lines, line)
		for i, c := range cols {
			if err := appendJSON(t.cols[i], c, member(object, c.Name)); err != nil {
				return nil, 0, fmt.Errorf("line %d: column '%s': %w", line, c.Name, err)
			}
		}
	}
	return t.values(cols)
}

// member is a member of an object by its name, or else without regard to case.
func member(object map[string]json.RawMessage, name string) json.RawMessage {
	if v, ok := object[name]; ok {
		return v
	}
	for k, v := range object {
		if strings.EqualFold(k, name) {
			return v
		}
	}
	return nil
}

func appendJSON(v *vector.Vector, c connector.Column, raw json.RawMessage) error {
	switch {
	case len(raw) == 0 || string(raw) == "null":
		v.AppendNull()
	case c.Type.Kind == types.JSON:
		v.AppendBytes(raw)
	case raw[0] == '"':
		var s string
		if err := json.Unmarshal(raw, &s); err != nil {
			return err
		}
		v.AppendString(s)
	case raw[0] == '{' || raw[0] == '[':
		return fmt.Errorf("an object or array, where a %s is needed", c.Type)
	case string(raw) == "true":
		v.AppendString("1")
	case string(raw) == "false":
		v.AppendString("0")
	default:
		v.AppendBytes(raw)
	}
	return nil
}

// values turns the texts into values of the columns, as an INSERT in strict mode does.
func (t *texts) values(cols []connector.Column) ([]*vector.Vector, int, error) {
	n := len(t.lines)
	out := make([]*vector.Vector, len(cols))
	for i, c := range cols {
		var failed error
		ctx := &eval.Context{Location: time.UTC, Rules: eval.Rules{Strict: true}, Fail: func(row int, err error) {
			if failed == nil {
				failed = fmt.Errorf("line %d: column '%s': %w", t.lines[row], c.Name, err)
			}
		}}
		if out[i] = t.cols[i]; c.Type != textType {
			e, err := builtin.AssignColumn(nil, expr.NewColumn(0, c.Name, textType), c.Type, c.Name)
			if err != nil {
				return nil, 0, err
			}
			program, err := eval.Compile(e)
			if err != nil {
				return nil, 0, err
			}
			if out[i], err = program.Eval(ctx, t.cols[i:i+1], n); err != nil {
				return nil, 0, err
			}
		}
		if failed != nil {
			return nil, 0, failed
		}
		for row := range n {
			if c.Type.NotNull && out[i].IsNull(row) {
				return nil, 0, fmt.Errorf("line %d: column '%s' cannot be null", t.lines[row], c.Name)
			}
		}
	}
	return out, n, nil
}

func keyCodec(cols []connector.Column, keys []int) *state.Codec {
	ts := make([]types.Type, len(keys))
	for k, i := range keys {
		ts[k] = cols[i].Type
	}
	return state.NewKeyCodec(ts)
}
