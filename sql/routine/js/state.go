package js

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"

	"github.com/grafana/sobek"

	"streamsql/sql/routine"
)

// A state is encoded as a tag, and behind it:
//
//	null, false, true  nothing
//	int                a varint
//	float              8 bytes
//	text, bigint       the length as an unsigned varint, and the text
//	array, map, set    how many values, and them (of a map: key, value, key …)
//	object             how many members, and of each its name as a text, without tag, and its value
//
// It is stored in checkpoints: add tags, never change them.
const (
	tagNull = iota
	tagFalse
	tagTrue
	tagInt
	tagFloat
	tagText
	tagBigInt
	tagArray
	tagObject
	tagMap
	tagSet
)

// encode appends a state.
func (in *instance) encode(dst []byte, v sobek.Value, depth int) ([]byte, error) {
	if depth > maxNesting {
		return nil, fmt.Errorf("its state is nested deeper than %d", maxNesting)
	}
	if len(dst) > routine.MaxState {
		return nil, fmt.Errorf("its state is larger than %d KB", routine.MaxState>>10)
	}
	if v == nil || sobek.IsUndefined(v) || sobek.IsNull(v) {
		return append(dst, tagNull), nil
	}
	if o, ok := v.(*sobek.Object); ok {
		return in.encodeObject(dst, o, depth)
	}
	switch x := v.Export().(type) {
	case int64:
		return binary.AppendVarint(append(dst, tagInt), x), nil
	case float64:
		return binary.LittleEndian.AppendUint64(append(dst, tagFloat), math.Float64bits(x)), nil
	case string:
		return appendString(append(dst, tagText), x), nil
	case bool:
		return append(dst, byte(tagFalse+boolInt(x))), nil
	case *big.Int:
		return appendString(append(dst, tagBigInt), x.String()), nil
	}
	return nil, errors.New("its state holds a symbol")
}

func (in *instance) encodeObject(dst []byte, o *sobek.Object, depth int) ([]byte, error) {
	var err error
	switch class := o.ClassName(); class {
	case "Object":
		keys := o.Keys()
		dst = binary.AppendUvarint(append(dst, tagObject), uint64(len(keys)))
		for _, k := range keys {
			if dst, err = in.encode(appendString(dst, k), o.Get(k), depth+1); err != nil {
				return nil, err
			}
		}
		return dst, nil
	case "Array":
		return in.encodeArray(append(dst, tagArray), o, depth)
	case "Map", "Set":
		tag := byte(tagMap)
		if class == "Set" {
			tag = tagSet
		}
		all, err := in.entries(sobek.Undefined(), o)
		if err != nil {
			return nil, err
		}
		return in.encodeArray(append(dst, tag), all.ToObject(in.vm), depth)
	default:
		return nil, fmt.Errorf("its state holds a %s; it may hold numbers, strings, booleans, null, arrays, plain objects, Map and Set", class)
	}
}

func (in *instance) encodeArray(dst []byte, o *sobek.Object, depth int) ([]byte, error) {
	n := o.Get("length").ToInteger()
	if n > routine.MaxState {
		return nil, fmt.Errorf("its state is larger than %d KB", routine.MaxState>>10)
	}
	dst = binary.AppendUvarint(dst, uint64(n))
	for i := range n {
		var err error
		if dst, err = in.encode(dst, o.Get(strconv.FormatInt(i, 10)), depth+1); err != nil {
			return nil, err
		}
	}
	return dst, nil
}

func appendString(dst []byte, s string) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}

var errState = errors.New("its state does not decode")

// decode reads what encode wrote, and returns what is behind it.
func (in *instance) decode(b []byte) (sobek.Value, []byte, error) {
	if len(b) == 0 {
		return nil, nil, errState
	}
	tag, b := b[0], b[1:]
	switch tag {
	case tagNull:
		return sobek.Null(), b, nil
	case tagFalse, tagTrue:
		return in.vm.ToValue(tag == tagTrue), b, nil
	case tagInt:
		x, n := binary.Varint(b)
		if n <= 0 {
			return nil, nil, errState
		}
		return in.vm.ToValue(x), b[n:], nil
	case tagFloat:
		if len(b) < 8 {
			return nil, nil, errState
		}
		return in.vm.ToValue(math.Float64frombits(binary.LittleEndian.Uint64(b))), b[8:], nil
	case tagText:
		s, b, err := cutString(b)
		return in.vm.ToValue(s), b, err
	case tagBigInt:
		s, b, err := cutString(b)
		x, ok := new(big.Int).SetString(s, 10)
		if err != nil || !ok {
			return nil, nil, errState
		}
		return in.vm.ToValue(x), b, nil
	case tagObject:
		return in.decodeObject(b)
	case tagArray, tagMap, tagSet:
		return in.decodeArray(tag, b)
	}
	return nil, nil, errState
}

func (in *instance) decodeObject(b []byte) (sobek.Value, []byte, error) {
	n, b, err := cutCount(b)
	if err != nil {
		return nil, nil, err
	}
	o := in.vm.NewObject()
	for range n {
		var name string
		var v sobek.Value
		if name, b, err = cutString(b); err != nil {
			return nil, nil, err
		}
		if v, b, err = in.decode(b); err != nil {
			return nil, nil, err
		}
		if err := o.Set(name, v); err != nil {
			return nil, nil, err
		}
	}
	return o, b, nil
}

func (in *instance) decodeArray(tag byte, b []byte) (sobek.Value, []byte, error) {
	n, b, err := cutCount(b)
	if err != nil {
		return nil, nil, err
	}
	items := make([]any, n)
	for i := range items {
		if items[i], b, err = in.decode(b); err != nil {
			return nil, nil, err
		}
	}
	var made sobek.Value = in.vm.NewArray(items...)
	switch tag {
	case tagMap:
		made, err = in.mapOf(sobek.Undefined(), made)
	case tagSet:
		made, err = in.setOf(sobek.Undefined(), made)
	}
	return made, b, err
}

// cutCount reads a number of values, each of at least a byte.
func cutCount(b []byte) (int, []byte, error) {
	n, k := binary.Uvarint(b)
	if k <= 0 || n > uint64(len(b)-k) {
		return 0, nil, errState
	}
	return int(n), b[k:], nil
}

func cutString(b []byte) (string, []byte, error) {
	n, b, err := cutCount(b)
	if err != nil {
		return "", nil, err
	}
	return string(b[:n]), b[n:], nil
}
