package physical

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Encode gives the form in which the catalog stores a plan.
func Encode(p *Plan) ([]byte, error) {
	b, err := json.Marshal(p)
	if err != nil {
		return nil, fmt.Errorf("encode plan: %w", err)
	}
	return b, nil
}

// Decode reads a stored plan. It refuses a plan of a newer version than this
// code's, since it could hold what the code would misread, and one without a root.
func Decode(b []byte) (*Plan, error) {
	if _, err := Head(b); err != nil {
		return nil, err
	}
	p := &Plan{}
	if err := json.Unmarshal(b, p); err != nil {
		return nil, fmt.Errorf("decode plan: %w", err)
	}
	if p.Root == nil {
		return nil, fmt.Errorf("decode plan: no root")
	}
	unite(p.Root)
	return p, nil
}

// Head reads what a stored plan says of its result: all but Root, which is nil. Who
// reads a view needs no more, at each SELECT. It stops before the nodes, so that its
// time does not depend on their number; those of a plan that was stored with the root
// in front it skips.
func Head(b []byte) (*Plan, error) {
	p := &Plan{}
	d := json.NewDecoder(bytes.NewReader(b))
	if _, err := d.Token(); err != nil { // {
		return nil, fmt.Errorf("decode plan: %w", err)
	}
	for d.More() {
		key, err := d.Token()
		if err == nil && key == "root" && p.Output != nil {
			break
		}
		if err == nil {
			err = d.Decode(p.part(key))
		}
		if err != nil {
			return nil, fmt.Errorf("decode plan: %w", err)
		}
	}
	if p.Version < 1 || p.Version > Version {
		return nil, fmt.Errorf("decode plan: version %d is not known, the newest known is %d", p.Version, Version)
	}
	return p, nil
}

// part is where Head puts the value of a key.
func (p *Plan) part(key json.Token) any {
	switch key {
	case "version":
		return &p.Version
	case "output":
		return &p.Output
	case "key":
		return &p.Key
	case "append_only":
		return &p.AppendOnly
	case "grows":
		return &p.Grows
	case "times":
		return &p.Times
	}
	return &json.RawMessage{}
}

// unite makes one of the nodes with the same id: such a node has several readers,
// and is stored with each.
func unite(root *Node) {
	byID := map[int]*Node{}
	Walk(root, func(n *Node) bool {
		for i, in := range n.Inputs {
			if first, ok := byID[in.ID]; ok && in.ID > 0 {
				n.Inputs[i] = first
			} else {
				byID[in.ID] = in
			}
		}
		return true
	})
}
