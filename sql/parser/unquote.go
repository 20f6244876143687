package parser

// appendUnquoted appends what a string literal, quotes included, stands for.
func appendUnquoted(dst []byte, lit string, m Mode) []byte {
	quote, s := lit[0], lit[1:len(lit)-1]
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == quote: // the first of two
			i++
			dst = append(dst, c)
		case c == '\\' && m&NoBackslashEscapes == 0 && i+1 < len(s):
			i++
			dst = appendEscape(dst, s[i])
		default:
			dst = append(dst, c)
		}
	}
	return dst
}

// appendEscape appends what a backslash before c stands for. \% and \_ keep
// their backslash: they mean something to LIKE.
func appendEscape(dst []byte, c byte) []byte {
	switch c {
	case 'n':
		return append(dst, '\n')
	case 't':
		return append(dst, '\t')
	case 'r':
		return append(dst, '\r')
	case '0':
		return append(dst, 0)
	case 'b':
		return append(dst, '\b')
	case 'Z':
		return append(dst, 0x1a)
	case '%', '_':
		return append(dst, '\\', c)
	default:
		return append(dst, c)
	}
}
