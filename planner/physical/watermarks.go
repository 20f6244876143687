package physical

import (
	"reflect"
	"slices"
)

// Watermarks lists the streams whose watermarks some node of the plan names, by
// ascending id: the plan has something to do when one of them moves on. Any field
// of type Watermark counts, in whatever spec it stands.
func (p *Plan) Watermarks() []uint64 {
	var ids []uint64
	Walk(p.Root, func(n *Node) bool {
		findWatermarks(reflect.ValueOf(*n), func(w Watermark) {
			for _, s := range w {
				if s.Table != BatchTime {
					ids = append(ids, s.Table)
				}
			}
		})
		return true
	})
	slices.Sort(ids)
	return slices.Compact(ids)
}

// AsksTime reports a node that asks what time it is: it names a watermark, or the time
// of the batch.
func (n *Node) AsksTime() bool {
	timed := false
	findWatermarks(reflect.ValueOf(*n), func(w Watermark) { timed = timed || len(w) > 0 })
	return timed
}

var (
	watermarkType = reflect.TypeFor[Watermark]()
	nodeType      = reflect.TypeFor[Node]()
)

// findWatermarks calls f for each Watermark in the types of this package below
// v; other nodes are left out.
func findWatermarks(v reflect.Value, f func(Watermark)) {
	switch t := v.Type(); t.Kind() {
	case reflect.Pointer:
		if t.Elem() != nodeType && t.Elem().PkgPath() == nodeType.PkgPath() && !v.IsNil() {
			findWatermarks(v.Elem(), f)
		}
	case reflect.Struct:
		if t.PkgPath() == nodeType.PkgPath() {
			for i := range v.NumField() {
				findWatermarks(v.Field(i), f)
			}
		}
	case reflect.Slice:
		if t == watermarkType {
			f(v.Interface().(Watermark))
			return
		}
		for i := range v.Len() {
			findWatermarks(v.Index(i), f)
		}
	}
}
