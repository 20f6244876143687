package builtin

// JSONPath is a path of MySQL's that was read.
type JSONPath struct{ legs jsonPath }

// ParseJSONPath reads a path: error 3143 where it is none.
func ParseJSONPath(s string) (JSONPath, error) {
	legs, err := parsePath(s)
	return JSONPath{legs}, err
}

// ParseJSON reads a JSON text; the error is MySQL's words for what is wrong.
func ParseJSON(text []byte) (any, error) { return parseJSON(text) }

// Find calls f with each value at the path, in the order of the document, until it
// returns false. A document is what ParseJSON gave; values are parts of it.
func (p JSONPath) Find(doc any, f func(value any) bool) { p.legs.find(doc, f) }

// AppendJSON appends a document, or a part of one, in the normal form.
func AppendJSON(dst []byte, doc any) []byte { return appendJSON(dst, doc) }
