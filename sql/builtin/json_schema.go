package builtin

import (
	"encoding/json"
	"math/big"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"streamsql/sql/sqlerr"
	"streamsql/sql/types"
)

// JSON schemas of draft 4, as MySQL's JSON_SCHEMA_VALID takes them: references inside
// the schema are followed, others are refused; format is not looked at.

func init() {
	defineJSON("json_schema_valid", "jj", types.MakeBool(), func(c *jsonCall, i int) {
		if fault, ok := c.check(i); ok {
			c.giveBool(fault == nil)
		}
	})
	defineJSON("json_schema_validation_report", "jj", jsonType, func(c *jsonCall, i int) {
		fault, ok := c.check(i)
		if !ok {
			return
		}
		report := &jsonObject{}
		report.set("valid", fault == nil)
		if fault != nil {
			at := "#" + strings.Join(fault.schema, "")
			report.set("reason", "The JSON document location '#"+strings.Join(fault.document, "")+"' failed requirement '"+fault.keyword+"' at JSON Schema location '"+at+"'")
			report.set("schema-location", at)
			report.set("document-location", "#"+strings.Join(fault.document, ""))
			report.set("schema-failed-keyword", fault.keyword)
		}
		c.give(report)
	})
}

// check holds document 1 against schema 0; false: it failed.
func (c *jsonCall) check(i int) (*schemaFault, bool) {
	schema, ok := c.doc(0, i)
	if !ok {
		return nil, false
	}
	doc, ok := c.doc(1, i)
	if !ok {
		return nil, false
	}
	root, ok := schema.(*jsonObject)
	if !ok {
		c.Fail(i, sqlerr.New(sqlerr.InvalidJSONType, "Invalid JSON type in argument 1 to function %s; an object is required.", c.Call.Fn))
		return nil, false
	}
	v := &schemaCheck{root: root}
	fault := v.value(root, doc)
	if v.wrong != nil {
		c.Fail(i, v.wrong)
		return nil, false
	}
	return fault, true
}

// schemaFault is where a document does not follow a schema: pointers (RFC 6901) in
// parts that begin with a slash.
type schemaFault struct {
	schema, document []string
	keyword          string
}

// schemaCheck is one document held against one schema.
type schemaCheck struct {
	root             *jsonObject
	schema, document []string // where we are
	depth            int
	wrong            error // the schema itself cannot be used
}

func (v *schemaCheck) fault(keyword string) *schemaFault {
	return &schemaFault{schema: append([]string(nil), v.schema...), document: append([]string(nil), v.document...), keyword: keyword}
}

// under checks a part of the document against a part of the schema; pointers may be empty.
func (v *schemaCheck) under(schema any, at string, doc any, place string) *schemaFault {
	s, ok := schema.(*jsonObject)
	if !ok {
		return nil
	}
	v.schema = append(v.schema, at)
	v.document = append(v.document, place)
	fault := v.value(s, doc)
	v.schema, v.document = v.schema[:len(v.schema)-1], v.document[:len(v.document)-1]
	return fault
}

// value checks all keywords of a schema.
func (v *schemaCheck) value(s *jsonObject, doc any) *schemaFault {
	if v.depth++; v.depth > maxJSONDepth {
		v.wrong = sqlerr.New(sqlerr.JSONDepthExceeded, "The JSON document exceeds the maximum depth.")
		return nil
	}
	defer func() { v.depth-- }()
	if ref, ok := s.text("$ref"); ok {
		target, at := v.follow(ref)
		if target == nil {
			return nil
		}
		old := v.schema
		v.schema = []string{at}
		fault := v.value(target, doc)
		v.schema = old
		return fault
	}
	for _, check := range []func(*jsonObject, any) *schemaFault{v.general, v.combined, v.number, v.text, v.list, v.object} {
		if fault := check(s, doc); fault != nil {
			return fault
		}
	}
	return nil
}

// follow finds the schema of a reference.
func (v *schemaCheck) follow(ref string) (*jsonObject, string) {
	pointer, ok := strings.CutPrefix(ref, "#")
	if !ok {
		v.wrong = sqlerr.Unsupported("references to JSON schemas elsewhere")
		return nil, ""
	}
	if plain, err := url.PathUnescape(pointer); err == nil {
		pointer = plain
	}
	var at any = v.root
	for part := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		if part == "" {
			continue
		}
		part = strings.NewReplacer("~1", "/", "~0", "~").Replace(part)
		o, ok := at.(*jsonObject)
		if !ok {
			return nil, ""
		}
		at, _ = o.get(part)
	}
	o, _ := at.(*jsonObject)
	return o, pointer
}

func (o *jsonObject) text(key string) (string, bool) {
	v, _ := o.get(key)
	s, ok := v.(string)
	return s, ok
}

func (o *jsonObject) number(key string) *big.Rat {
	v, _ := o.get(key)
	return rational(v)
}

// count is a keyword that is a whole number.
func (o *jsonObject) count(key string) (int64, bool) {
	r := o.number(key)
	if r == nil || !r.IsInt() || !r.Num().IsInt64() {
		return 0, false
	}
	return r.Num().Int64(), true
}

// rational is a number; nil: it is none.
func rational(v any) *big.Rat {
	n, ok := v.(json.Number)
	if !ok || len(n) > 400 {
		return nil
	}
	r, ok := new(big.Rat).SetString(string(n))
	if !ok {
		return nil
	}
	return r
}

func (v *schemaCheck) general(s *jsonObject, doc any) *schemaFault {
	if want, ok := s.get("type"); ok {
		found := false
		for _, name := range asList(want) {
			found = found || hasSchemaType(doc, name)
		}
		if !found {
			return v.fault("type")
		}
	}
	if allowed, ok := s.get("enum"); ok {
		found := false
		for _, e := range asList(allowed) {
			found = found || jsonEqual(e, doc)
		}
		if !found {
			return v.fault("enum")
		}
	}
	return nil
}

func hasSchemaType(doc, name any) bool {
	switch doc := doc.(type) {
	case nil:
		return name == "null"
	case bool:
		return name == "boolean"
	case string:
		return name == "string"
	case json.Number:
		return name == "number" || name == "integer" && !strings.ContainsAny(string(doc), ".eE")
	case []any:
		return name == "array"
	}
	return name == "object"
}

// combined checks allOf, anyOf, oneOf and not.
func (v *schemaCheck) combined(s *jsonObject, doc any) *schemaFault {
	holds := func(keyword string) (n, all int, given bool) {
		list, ok := s.get(keyword)
		if !ok {
			return 0, 0, false
		}
		parts := asList(list)
		for k, e := range parts {
			if v.under(e, "/"+keyword+"/"+strconv.Itoa(k), doc, "") == nil {
				n++
			}
		}
		return n, len(parts), true
	}
	if n, all, ok := holds("allOf"); ok && n < all {
		return v.fault("allOf")
	}
	if n, _, ok := holds("anyOf"); ok && n == 0 {
		return v.fault("anyOf")
	}
	if n, _, ok := holds("oneOf"); ok && n != 1 {
		return v.fault("oneOf")
	}
	if not, ok := s.get("not"); ok {
		if _, is := not.(*jsonObject); is && v.under(not, "/not", doc, "") == nil {
			return v.fault("not")
		}
	}
	return nil
}

func (v *schemaCheck) number(s *jsonObject, doc any) *schemaFault {
	x := rational(doc)
	if x == nil {
		return nil
	}
	if m := s.number("multipleOf"); m != nil && m.Sign() > 0 && !new(big.Rat).Quo(x, m).IsInt() {
		return v.fault("multipleOf")
	}
	exclusive := func(key string) bool { e, _ := s.get(key); return e == true }
	if limit := s.number("maximum"); limit != nil {
		if c := x.Cmp(limit); c > 0 || c == 0 && exclusive("exclusiveMaximum") {
			return v.fault("maximum")
		}
	}
	if limit := s.number("minimum"); limit != nil {
		if c := x.Cmp(limit); c < 0 || c == 0 && exclusive("exclusiveMinimum") {
			return v.fault("minimum")
		}
	}
	return nil
}

func (v *schemaCheck) text(s *jsonObject, doc any) *schemaFault {
	t, ok := doc.(string)
	if !ok {
		return nil
	}
	n := int64(utf8.RuneCountInString(t))
	if limit, ok := s.count("maxLength"); ok && n > limit {
		return v.fault("maxLength")
	}
	if limit, ok := s.count("minLength"); ok && n < limit {
		return v.fault("minLength")
	}
	if p, ok := s.text("pattern"); ok {
		if re, err := regexp.Compile(p); err == nil && !re.MatchString(t) {
			return v.fault("pattern")
		}
	}
	return nil
}

func (v *schemaCheck) list(s *jsonObject, doc any) *schemaFault {
	list, ok := doc.([]any)
	if !ok {
		return nil
	}
	if limit, ok := s.count("maxItems"); ok && int64(len(list)) > limit {
		return v.fault("maxItems")
	}
	if limit, ok := s.count("minItems"); ok && int64(len(list)) < limit {
		return v.fault("minItems")
	}
	if unique, _ := s.get("uniqueItems"); unique == true {
		for i := range list {
			for j := range i {
				if jsonEqual(list[i], list[j]) {
					return v.fault("uniqueItems")
				}
			}
		}
	}
	items, _ := s.get("items")
	places, tuple := items.([]any)
	for k, e := range list {
		schema, at := items, "/items"
		if tuple && k < len(places) {
			schema, at = places[k], "/items/"+strconv.Itoa(k)
		} else if tuple {
			if schema, _ = s.get("additionalItems"); schema == false {
				return v.fault("additionalItems")
			}
			at = "/additionalItems"
		}
		if fault := v.under(schema, at, e, "/"+strconv.Itoa(k)); fault != nil {
			return fault
		}
	}
	return nil
}

func (v *schemaCheck) object(s *jsonObject, doc any) *schemaFault {
	o, ok := doc.(*jsonObject)
	if !ok {
		return nil
	}
	if limit, ok := s.count("maxProperties"); ok && int64(len(o.keys)) > limit {
		return v.fault("maxProperties")
	}
	if limit, ok := s.count("minProperties"); ok && int64(len(o.keys)) < limit {
		return v.fault("minProperties")
	}
	if required, ok := s.get("required"); ok && !hasAll(o, required) {
		return v.fault("required")
	}
	for k, key := range o.keys {
		if fault := v.member(s, key, o.values[k]); fault != nil {
			return fault
		}
	}
	return v.dependencies(s, o)
}

func hasAll(o *jsonObject, names any) bool {
	for _, name := range asList(names) {
		key, ok := name.(string)
		if _, has := o.get(key); ok && !has {
			return false
		}
	}
	return true
}

// member checks a member against properties, patternProperties and, if neither knows
// it, additionalProperties.
func (v *schemaCheck) member(s *jsonObject, key string, value any) *schemaFault {
	known := false
	place := "/" + key
	if properties, ok := object(s, "properties"); ok {
		if schema, ok := properties.get(key); ok {
			known = true
			if fault := v.under(schema, "/properties/"+key, value, place); fault != nil {
				return fault
			}
		}
	}
	if byPattern, ok := object(s, "patternProperties"); ok {
		for k, p := range byPattern.keys {
			if re, err := regexp.Compile(p); err != nil || !re.MatchString(key) {
				continue
			}
			known = true
			if fault := v.under(byPattern.values[k], "/patternProperties/"+p, value, place); fault != nil {
				return fault
			}
		}
	}
	if known {
		return nil
	}
	others, _ := s.get("additionalProperties")
	if others == false {
		return v.fault("additionalProperties")
	}
	return v.under(others, "/additionalProperties", value, place)
}

func (v *schemaCheck) dependencies(s *jsonObject, o *jsonObject) *schemaFault {
	needs, ok := object(s, "dependencies")
	if !ok {
		return nil
	}
	for k, key := range needs.keys {
		if _, has := o.get(key); !has {
			continue
		}
		if schema, ok := needs.values[k].(*jsonObject); ok {
			if fault := v.under(schema, "/dependencies/"+key, o, ""); fault != nil {
				return fault
			}
		} else if !hasAll(o, needs.values[k]) {
			return v.fault("dependencies")
		}
	}
	return nil
}

func object(o *jsonObject, key string) (*jsonObject, bool) {
	v, _ := o.get(key)
	out, ok := v.(*jsonObject)
	return out, ok
}
