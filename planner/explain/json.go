package explain

import (
	"bytes"
	"encoding/json"
	"fmt"

	"streamsql/sql/types"
)

// asJSON is v, which JSON can hold, indented, with types as SQL has them.
func asJSON(v any) string {
	text, err := indented(v)
	if err != nil {
		return fmt.Sprintf("%q", err.Error())
	}
	return text
}

func indented(v any) (string, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return "", err
	}
	var out, pretty bytes.Buffer
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.UseNumber()
	if err := rewrite(dec, &out); err != nil {
		return "", err
	}
	if err := json.Indent(&pretty, out.Bytes(), "", "  "); err != nil {
		return "", err
	}
	return pretty.String(), nil
}

// rewrite copies the next value, and in objects the types at "type" as text.
func rewrite(dec *json.Decoder, out *bytes.Buffer) error {
	t, err := dec.Token()
	if err != nil {
		return err
	}
	open, ok := t.(json.Delim)
	if !ok {
		return write(out, t)
	}
	out.WriteRune(rune(open))
	for first := true; dec.More(); first = false {
		if !first {
			out.WriteByte(',')
		}
		if open == '{' {
			key, err := dec.Token()
			if err != nil {
				return err
			}
			if err := write(out, key); err != nil {
				return err
			}
			out.WriteByte(':')
			if key == "type" {
				if err := rewriteType(dec, out); err != nil {
					return err
				}
				continue
			}
		}
		if err := rewrite(dec, out); err != nil {
			return err
		}
	}
	end, err := dec.Token()
	if err == nil {
		out.WriteRune(rune(end.(json.Delim)))
	}
	return err
}

// rewriteType copies a type as text: bigint unsigned not null.
func rewriteType(dec *json.Decoder, out *bytes.Buffer) error {
	var raw json.RawMessage
	if err := dec.Decode(&raw); err != nil {
		return err
	}
	var t types.Type
	if !bytes.HasPrefix(raw, []byte("{")) || json.Unmarshal(raw, &t) != nil {
		out.Write(raw)
		return nil
	}
	text := t.String()
	if t.NotNull {
		text += " not null"
	}
	return write(out, text)
}

func write(out *bytes.Buffer, v any) error {
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false) // a < b is to be read
	return enc.Encode(v)
}
