package nexmark

import (
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"sync"

	"streamsql/sql/types"
	"streamsql/sql/vector"
)

// maxPartitions and maxBytes bound what the prepared texts take.
const (
	maxPartitions = 64
	maxBytes      = 4096
)

// sampleTexts are so many that tell how long the others are.
const sampleTexts = 1024

// texts are the columns of a table that are text, prepared once: row r has the
// texts number r modulo their count. A chunk is a slice of them, so that no byte is
// copied. The counts have many divisors: with that many partitions, each has its
// own share of the texts.
type texts struct {
	table      *table
	seq        *sequence
	partitions int

	once    sync.Once
	columns []*vector.Vector // all texts
	parts   []partTexts
}

// partTexts are the texts of one partition, in the order of its rows.
type partTexts struct {
	once    sync.Once
	period  uint64 // rows after which they begin again
	columns []*vector.Vector
}

func newTexts(t *table, q *sequence, partitions int) *texts {
	return &texts{table: t, seq: q, partitions: partitions, parts: make([]partTexts, partitions)}
}

// all are the columns of all texts.
func (t *texts) all() []*vector.Vector {
	t.once.Do(func() {
		c := newComposer(t.seq.seed ^ seedTexts ^ t.table.first)
		for n := range t.table.texts {
			if n == sampleTexts {
				for _, v := range t.columns { // about as long as all will be
					v.Buf = slices.Grow(v.Buf, len(v.Buf)*(t.table.texts/n)*17/16)
				}
			}
			row := t.table.compose(t, c)
			if t.columns == nil {
				for range row {
					t.columns = append(t.columns, vector.New(types.MakeVarChar(maxBytes), t.table.texts))
				}
			}
			for k, s := range row {
				t.columns[k].AppendString(s)
			}
		}
	})
	return t.columns
}

// longest is a length that no value of a column exceeds.
func (t *texts) longest(c *column) int {
	if c.longest > 0 {
		return c.longest
	}
	n, v := 0, t.all()[c.text]
	for i := range v.N {
		n = max(n, len(v.Bytes(i)))
	}
	return n
}

// slice gives n ≤ chunkRows values of a column, of the rows of a partition from an offset on.
func (t *texts) slice(c *column, declared types.Type, part int, from uint64, n int) *vector.Vector {
	p := &t.parts[part]
	p.once.Do(func() { t.arrange(p, uint64(part)) })
	at := int(from % p.period)
	all := p.columns[c.text]
	return &vector.Vector{Type: declared, N: n, Off: all.Off[at : at+n+1], Buf: all.Buf}
}

// arrange lays a partition's texts out, the first ones twice, so that a chunk may
// go past their end.
func (t *texts) arrange(p *partTexts, part uint64) {
	all, count, step := t.all(), uint64(t.table.texts), uint64(t.partitions)
	p.period = count
	for d := step; d > 1; d-- {
		if count%d == 0 && step%d == 0 {
			p.period = count / d
			break
		}
	}
	sel := make([]int32, p.period+chunkRows)
	for i := range sel {
		sel[i] = int32((part + uint64(i)*step) % count)
	}
	for _, v := range all {
		p.columns = append(p.columns, v.Gather(sel))
	}
}

// composer makes texts up.
type composer struct {
	seed, n  uint64
	channels []channel
}

// channel is where a bid came from.
type channel struct{ name, url string }

const (
	hotChannels  = 4
	coldChannels = 10_000
)

func newComposer(seed uint64) *composer { return &composer{seed: seed} }

// intn is a random number below n.
func (c *composer) intn(n int) int {
	c.n++
	k, _ := below(draw(c.seed, c.n), uint64(n))
	return int(k)
}

func (c *composer) of(list []string) string { return list[c.intn(len(list))] }

// word is of 3 to limit−1 letters, with a space here and there inside.
func (c *composer) word(limit int, space byte) string {
	b := c.letters(3 + c.intn(limit-3))
	for i := c.intn(26); i < len(b); i += 1 + c.intn(26) { // 13 from one to the next
		b[i] = space
	}
	return strings.Trim(string(b), " ")
}

// letters are n random ones.
func (c *composer) letters(n int) []byte {
	b := make([]byte, n)
	var x uint64
	for i := range b {
		if i%8 == 0 { // one number is good for eight
			c.n++
			x = draw(c.seed, c.n)
		}
		var k uint64
		k, x = below(x, 26)
		b[i] = 'a' + byte(k)
	}
	return b
}

// extra fills a row of a size up to the average one, give or take a fifth.
func (c *composer) extra(size, average int) string {
	if size > average {
		return ""
	}
	left := average - size
	spread := (2*left + 5) / 10
	n := left - spread
	if spread > 0 {
		n += c.intn(2 * spread)
	}
	return string(c.letters(n))
}

var (
	states     = strings.Split("AZ,CA,ID,OR,WA,WY", ",")
	cities     = strings.Split("Phoenix,Los Angeles,San Francisco,Boise,Portland,Bend,Redmond,Seattle,Kent,Cheyenne", ",")
	firstNames = strings.Split("Peter,Paul,Luke,John,Saul,Vicky,Kate,Julie,Sarah,Deiter,Walter", ",")
	lastNames  = strings.Split("Shultz,Abrams,Spencer,White,Bartels,Walton,Smith,Jones,Noris", ",")
	hotNames   = [hotChannels]string{"Google", "Facebook", "Baidu", "Apple"}
)

func composePerson(t *texts, c *composer) []string {
	person := c.of(firstNames) + " " + c.of(lastNames)
	email := c.word(7, ' ') + "@" + c.word(5, ' ') + ".com"
	var card []string
	for range 4 {
		digits := strconv.Itoa(10_000 + c.intn(10_000))
		card = append(card, digits[1:])
	}
	number, city, state := strings.Join(card, " "), c.of(cities), c.of(states)
	size := 8 + len(person) + len(email) + len(number) + len(city) + len(state)
	return []string{person, email, number, city, state, c.extra(size, t.seq.bytes[t.table.size])}
}

func composeAuction(t *texts, c *composer) []string {
	item, description := c.word(20, ' '), c.word(100, ' ')
	size := 6*8 + len(item) + len(description)
	return []string{item, description, c.extra(size, t.seq.bytes[t.table.size])}
}

func composeBid(t *texts, c *composer) []string {
	if c.channels == nil {
		c.channels = c.composeChannels()
	}
	k := c.intn(hotChannels)
	if c.intn(2) == 0 {
		k = hotChannels + c.intn(coldChannels)
	}
	ch := c.channels[k]
	size := 4*8 + len(ch.name) + len(ch.url)
	return []string{ch.name, ch.url, c.extra(size, t.seq.bytes[t.table.size])}
}

// composeChannels lists the hot channels, then the others, of which nine in ten
// have a number in the url.
func (c *composer) composeChannels() []channel {
	var all []channel
	url := func() string {
		return "https://www.nexmark.com/" + c.word(5, '_') + "/" + c.word(5, '_') + "/" + c.word(5, '_') + "/item.htm?query=1"
	}
	for _, n := range hotNames {
		all = append(all, channel{n, url()})
	}
	for k := range coldChannels {
		ch := channel{"channel-" + strconv.Itoa(k), url()}
		if c.intn(10) > 0 {
			id := int64(int32(bits.Reverse32(uint32(k))))
			ch.url += "&channel_id=" + strconv.FormatInt(max(id, -id), 10)
		}
		all = append(all, ch)
	}
	return all
}
