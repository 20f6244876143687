package answers

import (
	"bytes"
	"regexp"
	"strings"

	"streamsql/sql/types"
)

func q0(h *House, out *rows) {
	h.bids(func(b *bid) { out.num(b.auction).num(b.bidder).num(b.price).time(b.at).text(b.extra).end() })
}

func q1(h *House, out *rows) {
	h.bids(func(b *bid) { out.num(b.auction).num(b.bidder).dollars(b.price).time(b.at).text(b.extra).end() })
}

func q2(h *House, out *rows) {
	h.bids(func(b *bid) {
		if b.auction%123 == 0 {
			out.num(b.auction).num(b.price).end()
		}
	})
}

// day is a time's date, minute its hour and minute, as text.
func day(us int64) []byte { return types.AppendDateTime(nil, us, 0)[:10] }

func minute(us int64) []byte { return types.AppendDateTime(nil, us, 0)[11:16] }

func q10(h *House, out *rows) {
	h.bids(func(b *bid) {
		out.num(b.auction).num(b.bidder).num(b.price).time(b.at).text(b.extra).text(day(b.at)).text(minute(b.at)).end()
	})
}

func q13(h *House, out *rows) {
	h.bids(func(b *bid) {
		if value, ok := h.Side[b.auction%10_000]; ok {
			out.num(b.auction).num(b.bidder).num(b.price).time(b.at).text([]byte(value)).end()
		}
	})
}

func q14(h *House, out *rows) {
	const hour = 3600 * 1_000_000
	h.bids(func(b *bid) {
		if thousandths := b.price * 908; thousandths <= 1_000_000_000 || thousandths >= 50_000_000_000 {
			return
		}
		kind := "otherTime"
		switch hour := b.at / hour % 24; {
		case hour >= 8 && hour <= 18:
			kind = "dayTime"
		case hour <= 6 || hour >= 20:
			kind = "nightTime"
		}
		out.num(b.auction).num(b.bidder).dollars(b.price).text([]byte(kind)).time(b.at).text(b.extra)
		if b.extra == nil {
			out.text(nil).end()
		} else {
			out.num(int64(bytes.Count(b.extra, []byte("c")))).end()
		}
	})
}

var channelID = regexp.MustCompile(`(&|^)channel_id=([^&]*)`)

func q21(h *House, out *rows) {
	numbers := map[string]string{"apple": "0", "google": "1", "facebook": "2", "baidu": "3"}
	h.bids(func(b *bid) {
		id, ok := numbers[strings.ToLower(string(b.channel))]
		if !ok {
			found := channelID.FindSubmatch(b.url)
			if found == nil {
				return
			}
			id = string(found[2])
		}
		out.num(b.auction).num(b.bidder).num(b.price).text(b.channel).text([]byte(id)).end()
	})
}

func q22(h *House, out *rows) {
	h.bids(func(b *bid) {
		folders := bytes.Split(b.url, []byte("/"))
		out.num(b.auction).num(b.bidder).num(b.price).text(b.channel).text(folders[3]).text(folders[4]).text(folders[5]).end()
	})
}
