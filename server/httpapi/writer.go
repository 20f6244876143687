package httpapi

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"

	"streamsql/engine"
)

// batchKey is the client's own name for the rows of a request:
//
//	Idempotency-Key: WRITER/NUMBER
//
// also in quotes. Without one, writer is empty.
func batchKey(r *http.Request) (writer string, number uint64, err error) {
	keys := r.Header.Values("Idempotency-Key")
	if len(keys) == 0 {
		return "", 0, nil
	}
	key := strings.TrimSpace(keys[0])
	if n := len(key); n >= 2 && key[0] == '"' && key[n-1] == '"' {
		key = key[1 : n-1]
	}
	slash := strings.LastIndexByte(key, '/')
	if slash > 0 {
		writer = key[:slash]
		number, err = strconv.ParseUint(key[slash+1:], 10, 63)
	}
	if len(keys) > 1 || writer == "" || len(writer) > engine.MaxWriter || !utf8.ValidString(writer) || err != nil || number == 0 {
		return "", 0, refused(http.StatusBadRequest,
			"Idempotency-Key is WRITER/NUMBER: a name of at most %d bytes, and a number from 1 that goes up by one with each batch", engine.MaxWriter)
	}
	return writer, number, nil
}

// lastBatch answers which batch of a writer is the last that was stored, for a
// client that has lost count; 404 for a writer that is not known.
func (v *Server) lastBatch(w http.ResponseWriter, r *http.Request) {
	s, ctx, err := v.open(r)
	if err != nil {
		failed(w, err)
		return
	}
	defer s.Close()
	b, known, err := s.LastBatch(ctx, r.PathValue("stream"), r.PathValue("writer"))
	switch {
	case err != nil:
		failed(w, err)
	case !known:
		refuse(w, http.StatusNotFound, "No batch of writer '%.128s' is known", r.PathValue("writer"))
	default:
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Cache-Control", "no-store")
		_ = json.NewEncoder(w).Encode(struct {
			Writer string `json:"writer"`
			Number uint64 `json:"number"`
			Rows   int    `json:"rows"`
		}{b.Writer, b.Number, b.Rows})
	}
}
