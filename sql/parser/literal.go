package parser

import (
	"encoding/hex"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/charset"
	"github.com/pingcap/tidb/pkg/parser/format"
	"github.com/pingcap/tidb/pkg/parser/mysql"
	"github.com/pingcap/tidb/pkg/parser/types"
)

// TiDB's grammar builds literals through constructors that a driver supplies.
// Ours keeps what was typed: a decimal stays its exact text, an integer beyond
// 64 bits becomes a Decimal, nothing is rounded before the binder sees it.
func init() {
	ast.NewValueExpr = func(value any, cs, collate string) ast.ValueExpr { return newLiteral(value, cs, collate) }
	ast.NewParamMarkerExpr = func(offset int) ast.ParamMarkerExpr { return &Param{Offset: offset} }
	ast.NewDecimal = func(s string) (any, error) { return Decimal(s), nil }
	ast.NewHexLiteral = func(s string) (any, error) { return parseHex(s) }
	ast.NewBitLiteral = func(s string) (any, error) { return parseBit(s) }
}

// Decimal is an exact numeric literal as typed: "1.50", ".5", "1.", or the
// digits of an integer that does not fit 64 bits. It never has an exponent.
type Decimal string

// Binary is the bytes of x'…', 0x… and b'…' literals.
type Binary []byte

// Literal is a literal of the tree. GetValue returns nil (NULL), int64, uint64
// (above the largest int64), float64 (only literals with an exponent), string,
// Decimal or Binary. TRUE and FALSE are int64 1 and 0, and IsBool tells them
// apart. A character set introducer (_binary'…') shows in GetType().GetCharset().
type Literal struct {
	ast.TexprNode
	value any
	slot  int // TiDB's planner keeps a number here; only the interface wants it
}

var (
	_ ast.ValueExpr       = (*Literal)(nil)
	_ ast.ParamMarkerExpr = (*Param)(nil)
)

func newLiteral(value any, cs, collate string) *Literal {
	if l, ok := value.(*Literal); ok {
		return l
	}
	l := &Literal{slot: -1}
	t := &l.Type
	switch v := value.(type) {
	case bool:
		t.AddFlag(mysql.IsBooleanFlag)
		value = int64(0)
		if v {
			value = int64(1)
		}
	case int:
		value = int64(v)
	case string:
		t.SetCharset(cs)
		t.SetCollate(collate)
	}
	l.SetValue(value)
	return l
}

// IsBool reports the literals TRUE and FALSE.
func (l *Literal) IsBool() bool { return l.Type.GetFlag()&mysql.IsBooleanFlag != 0 }

// GetValue returns the value: see Literal.
func (l *Literal) GetValue() any { return l.value }

// SetValue replaces the value and the type that goes with it.
func (l *Literal) SetValue(value any) {
	l.value = value
	t := &l.Type
	t.SetFlen(types.UnspecifiedLength)
	t.SetDecimal(types.UnspecifiedLength)
	switch value.(type) {
	case nil:
		t.SetType(mysql.TypeNull)
	case int64:
		t.SetType(mysql.TypeLonglong)
	case uint64:
		t.SetType(mysql.TypeLonglong)
		t.AddFlag(mysql.UnsignedFlag)
	case float64:
		t.SetType(mysql.TypeDouble)
	case Decimal:
		t.SetType(mysql.TypeNewDecimal)
	case string:
		t.SetType(mysql.TypeVarString)
		return // keeps its character set
	case Binary:
		t.SetType(mysql.TypeVarString)
	default:
		t.SetType(mysql.TypeUnspecified)
	}
	t.SetCharset(charset.CharsetBin)
	t.SetCollate(charset.CollationBin)
	t.AddFlag(mysql.BinaryFlag)
}

// GetString returns the text of a string literal, and "" for any other.
func (l *Literal) GetString() string {
	switch v := l.value.(type) {
	case string:
		return v
	case Binary:
		return string(v)
	}
	return ""
}

// GetDatumString is GetString under the name that TiDB's interface gives it.
func (l *Literal) GetDatumString() string { return l.GetString() }

// GetProjectionOffset and SetProjectionOffset belong to TiDB's interface.
func (l *Literal) GetProjectionOffset() int { return l.slot }

// SetProjectionOffset belongs to TiDB's interface.
func (l *Literal) SetProjectionOffset(offset int) { l.slot = offset }

// text is the literal as SQL.
func (l *Literal) text() string {
	switch v := l.value.(type) {
	case nil:
		return "NULL"
	case int64:
		if l.IsBool() {
			return strings.ToUpper(strconv.FormatBool(v != 0))
		}
		return strconv.FormatInt(v, 10)
	case uint64:
		return strconv.FormatUint(v, 10)
	case float64:
		return strconv.FormatFloat(v, 'e', -1, 64)
	case Decimal:
		return string(v)
	case string:
		quoted := quotedString(v, 0)
		if l.Type.GetFlag()&mysql.UnderScoreCharsetFlag != 0 {
			return "_" + l.Type.GetCharset() + quoted
		}
		return quoted
	case Binary:
		return "x'" + hex.EncodeToString(v) + "'"
	}
	return fmt.Sprint(l.value)
}

// Restore writes the literal as SQL.
func (l *Literal) Restore(ctx *format.RestoreCtx) error {
	ctx.WritePlain(l.text())
	return nil
}

// Format writes the literal as SQL.
func (l *Literal) Format(w io.Writer) { _, _ = io.WriteString(w, l.text()) }

// Accept implements ast.Node.
func (l *Literal) Accept(v ast.Visitor) (ast.Node, bool) {
	n, _ := v.Enter(l)
	return v.Leave(n)
}

// Param is a `?`. Offset is its byte in the text as typed, Order its number
// from 0 in the order of the text.
type Param struct {
	Literal
	Offset int
	Order  int
}

// SetOrder implements ast.ParamMarkerExpr.
func (p *Param) SetOrder(order int) { p.Order = order }

// Restore writes the marker.
func (p *Param) Restore(ctx *format.RestoreCtx) error {
	ctx.WritePlain("?")
	return nil
}

// Format writes the marker.
func (p *Param) Format(w io.Writer) { _, _ = io.WriteString(w, "?") }

// Accept implements ast.Node.
func (p *Param) Accept(v ast.Visitor) (ast.Node, bool) {
	n, _ := v.Enter(p)
	return v.Leave(n)
}

// parseHex reads x'0F' (an even number of digits) and 0xF (any number).
func parseHex(s string) (Binary, error) {
	digits := s[2:]
	if s[0] == 'x' || s[0] == 'X' {
		digits = strings.Trim(s[1:], "'")
		if len(digits)%2 != 0 {
			return nil, fmt.Errorf("a hexadecimal literal needs an even number of digits")
		}
	}
	if len(digits)%2 != 0 {
		digits = "0" + digits
	}
	b, err := hex.DecodeString(digits)
	return Binary(b), err
}

// parseBit reads b'101' and 0b101, filled up with zero bits on the left.
func parseBit(s string) (Binary, error) {
	digits := s[2:]
	if s[0] == 'b' || s[0] == 'B' {
		digits = strings.Trim(s[1:], "'")
	}
	b := make(Binary, (len(digits)+7)/8)
	for i := range digits {
		bit := len(digits) - 1 - i
		if digits[i] == '1' {
			b[len(b)-1-bit/8] |= 1 << (bit % 8)
		}
	}
	return b, nil
}
