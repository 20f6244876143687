package physical

// Session puts rows into sessions.
const Session Kind = "Session"

// SessionSpec puts rows into sessions: those of equal Keys, with no two rows that
// follow one another in Time more than Gap (µs) apart. Output: the input's fields
// Keep, then the session's start and end; or with IDs, Gap after the row itself,
// and what tells the sessions of a key apart.
type SessionSpec struct {
	Keys []int `json:"keys"`
	Time int   `json:"time"` // -1: the batch's time
	Gap  int64 `json:"gap"`
	Keep []int `json:"keep"`
	IDs  bool  `json:"ids,omitempty"`
	Lateness
	// Over is the watermark at whose passing of its last row a session is forgotten;
	// nil: none is.
	Over Watermark `json:"over,omitempty"`
}
