package physical

// Emit holds rows back until their window is over.
const Emit Kind = "Emit"

// EmitSpec gives the rows of the input, as often as they are there then, once
// the watermark has reached the value of their column Col, and takes none back.
// A NULL is never reached.
type EmitSpec struct {
	Col       int       `json:"col"`
	Watermark Watermark `json:"watermark"`
	// Shrinks: rows that are over when they come were in a larger session before.
	Shrinks bool `json:"shrinks,omitempty"`
}
