package physical

import (
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
	var head struct {
		Version int `json:"version"`
	}
	if err := json.Unmarshal(b, &head); err != nil {
		return nil, fmt.Errorf("decode plan: %w", err)
	}
	if head.Version < 1 || head.Version > Version {
		return nil, fmt.Errorf("decode plan: version %d is not known, the newest known is %d", head.Version, Version)
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
