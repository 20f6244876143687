package builtin

import (
	"net/netip"
	"strconv"

	"streamsql/sql/sqlerr"
	"streamsql/sql/types"
)

func init() {
	define("inet_aton", "s", 0, returns(types.Type{Kind: types.BigInt, Unsigned: true}), strict(inetAtonRow))
	define("inet_ntoa", "i", 0, returns(types.MakeVarChar(15)), strict(inetNtoaRow))
	define("inet6_aton", "s", 0, binaryResult(func(*call) int { return 16 }), strict(inet6AtonRow))
	define("inet6_ntoa", "s", 0, returns(types.MakeVarChar(39)), strict(inet6NtoaRow))
	isText := func(names string, is func(a netip.Addr) bool) {
		define(names, "s", nonNull, returns(types.MakeBigInt()), each(func(f *Frame, i int) {
			a, ok := netip.Addr{}, false
			if !f.Args[0].NullAt(i) {
				a, ok = parseAddress(f.Args[0].Str(i))
			}
			f.Out.AppendInt(bit(ok && is(a)))
		}))
	}
	isText("is_ipv4", netip.Addr.Is4)
	isText("is_ipv6", netip.Addr.Is6)
	isBytes := func(name string, is func(b []byte) bool) {
		define(name, "s", nonNull, returns(types.MakeBigInt()), each(func(f *Frame, i int) {
			a := f.Args[0]
			f.Out.AppendInt(bit(!a.NullAt(i) && a.Type.IsBinary() && len(a.Str(i)) == 16 && is(a.Str(i))))
		}))
	}
	isBytes("is_ipv4_compat", func(b []byte) bool {
		return zeros(b[:12]) && !(zeros(b[12:15]) && b[15] <= 1) // neither :: nor ::1
	})
	isBytes("is_ipv4_mapped", func(b []byte) bool { return zeros(b[:10]) && b[10] == 0xff && b[11] == 0xff })
}

func zeros(b []byte) bool {
	for _, c := range b {
		if c != 0 {
			return false
		}
	}
	return true
}

// parseAddress reads an address without a zone. Of IPv4 up to three digits a part are
// taken, zeros before them too.
func parseAddress(s []byte) (netip.Addr, bool) {
	if a, ok := parseIPv4(s); ok {
		return a, true
	}
	a, err := netip.ParseAddr(string(s))
	return a, err == nil && a.Is6() && a.Zone() == ""
}

func parseIPv4(s []byte) (netip.Addr, bool) {
	var b [4]byte
	part, digits, n := 0, 0, 0
	for _, c := range s {
		switch {
		case c >= '0' && c <= '9' && digits < 3:
			n, digits = n*10+int(c-'0'), digits+1
		case c == '.' && digits > 0 && part < 3 && n < 256:
			b[part] = byte(n)
			part, digits, n = part+1, 0, 0
		default:
			return netip.Addr{}, false
		}
	}
	b[3] = byte(n)
	return netip.AddrFrom4(b), part == 3 && digits > 0 && n < 256
}

// inetAtonRow takes the short forms too: the last part fills what is left (127.1).
func inetAtonRow(f *Frame, i int) {
	var whole, n uint64
	dots, digit := 0, false
	for _, c := range f.Args[0].Str(i) {
		switch {
		case c >= '0' && c <= '9':
			n, digit = n*10+uint64(c-'0'), true
		case c == '.' && dots < 3 && n < 256:
			whole, n, digit = whole<<8+n, 0, false
			dots++
		default:
			digit, n = false, 256
		}
		if n > 255 {
			f.wrongArgument(i, "inet_aton")
			return
		}
	}
	if !digit {
		f.wrongArgument(i, "inet_aton")
		return
	}
	if dots > 0 {
		whole <<= 8 * (3 - dots)
	}
	f.Out.AppendInt(int64(whole<<8 + n))
}

// wrongArgument is NULL with warning 1411.
func (f *Frame) wrongArgument(i int, fn string) {
	f.NullOut(i)
	f.Problem(i, sqlerr.WrongValueForType, "Incorrect string value: '%s' for function %s", escapeAll(f.Args[0].AppendTextAt(nil, i, f.Location)), fn)
}

// escapeAll shows bytes that are no letters, digits and signs: \xFF.
func escapeAll(s []byte) string {
	var out []byte
	for _, c := range s {
		if c < ' ' || c > '~' {
			out = append(out, '\\', 'x', upperHex[c>>4], upperHex[c&15])
		} else {
			out = append(out, c)
		}
	}
	return string(out)
}

func inetNtoaRow(f *Frame, i int) {
	n := uint64(f.Args[0].Int(i))
	if n > 1<<32-1 {
		f.NullOut(i)
		f.Problem(i, sqlerr.WrongValueForType, "Incorrect integer value: '%s' for function inet_ntoa", f.Args[0].AppendTextAt(nil, i, f.Location))
		return
	}
	for k := 24; k >= 0; k -= 8 {
		f.Out.Buf = strconv.AppendUint(f.Out.Buf, n>>k&255, 10)
		if k > 0 {
			f.Out.Buf = append(f.Out.Buf, '.')
		}
	}
	f.endText()
}

func inet6AtonRow(f *Frame, i int) {
	a, ok := parseAddress(f.Args[0].Str(i))
	if !ok {
		f.wrongArgument(i, "inet6_aton")
		return
	}
	f.Out.Buf = append(f.Out.Buf, a.AsSlice()...)
	f.endText()
}

func inet6NtoaRow(f *Frame, i int) {
	b := f.Args[0].Str(i)
	a, ok := netip.AddrFromSlice(b)
	if !ok || !f.Args[0].Type.IsBinary() {
		f.wrongArgument(i, "inet6_ntoa")
		return
	}
	if a.Is6() && zeros(b[:12]) && !zeros(b[12:14]) { // ::a.b.c.d
		f.Out.Buf = append(f.Out.Buf, "::"...)
		a, _ = netip.AddrFromSlice(b[12:])
	}
	f.Out.Buf = a.AppendTo(f.Out.Buf)
	f.endText()
}
