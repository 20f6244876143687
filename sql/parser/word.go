package parser

import (
	"strings"

	tidb "github.com/pingcap/tidb/pkg/parser"
)

// keyword names the words that the pre-pass looks for. None of them is
// reserved by that: what a word means is decided by where it stands.
type keyword uint8

const (
	kwNone keyword = iota
	kwAll
	kwAnalyze
	kwAnd
	kwAnti
	kwAs
	kwAsc
	kwAsof
	kwBetween
	kwBinary
	kwBy
	kwCascade
	kwCase
	kwCast
	kwChanges
	kwClose
	kwCollate
	kwConvert
	kwCreate
	kwCross
	kwCube
	kwCumulate
	kwCumulateEnd
	kwCumulateStart
	kwDelete
	kwDesc
	kwDescribe
	kwDimension
	kwDiv
	kwDrop
	kwElse
	kwEmit
	kwEnd
	kwEscape
	kwExcept
	kwExists
	kwExplain
	kwFilter
	kwFirst
	kwFirstValue
	kwFlush
	kwFor
	kwFormat
	kwFrom
	kwFull
	kwGroup
	kwGrouping
	kwHaving
	kwHop
	kwHopEnd
	kwHopStart
	kwIf
	kwIlike
	kwIn
	kwInner
	kwInsert
	kwIntersect
	kwInterval
	kwInto
	kwIs
	kwJoin
	kwLast
	kwLastValue
	kwLeft
	kwLike
	kwLimit
	kwMatchRecognize
	kwMaterialized
	kwMod
	kwNatural
	kwNot
	kwNulls
	kwOf
	kwOn
	kwOr
	kwOrder
	kwOuter
	kwOver
	kwPivot
	kwProctime
	kwQualify
	kwRegexp
	kwReplace
	kwRestrict
	kwRight
	kwRlike
	kwRollup
	kwSecret
	kwSelect
	kwSemi
	kwSession
	kwSessionEnd
	kwSessionStart
	kwSet
	kwSets
	kwShow
	kwSink
	kwSounds
	kwStatus
	kwStraightJoin
	kwStream
	kwStreams
	kwSystemTime
	kwTable
	kwTables
	kwTablesample
	kwTemporary
	kwThen
	kwTimeout
	kwTumble
	kwTumbleEnd
	kwTumbleStart
	kwUnion
	kwUnpivot
	kwUpdate
	kwUsing
	kwValue
	kwValues
	kwView
	kwViews
	kwWatermark
	kwWhen
	kwWhere
	kwWindow
	kwWith
	kwWithin
	kwXor
	numKeywords
)

var keywords = map[string]keyword{
	"all": kwAll, "analyze": kwAnalyze, "and": kwAnd, "anti": kwAnti, "as": kwAs, "asc": kwAsc, "asof": kwAsof,
	"between": kwBetween, "binary": kwBinary, "by": kwBy, "cascade": kwCascade, "case": kwCase, "cast": kwCast,
	"changes": kwChanges, "close": kwClose, "collate": kwCollate, "convert": kwConvert, "create": kwCreate,
	"cross": kwCross, "cube": kwCube, "cumulate": kwCumulate, "cumulate_end": kwCumulateEnd,
	"cumulate_start": kwCumulateStart, "delete": kwDelete, "desc": kwDesc, "describe": kwDescribe, "dimension": kwDimension, "div": kwDiv,
	"drop": kwDrop, "else": kwElse, "emit": kwEmit, "end": kwEnd, "escape": kwEscape, "except": kwExcept,
	"exists": kwExists, "explain": kwExplain, "filter": kwFilter, "first": kwFirst, "first_value": kwFirstValue, "flush": kwFlush, "for": kwFor,
	"format": kwFormat, "from": kwFrom, "full": kwFull, "group": kwGroup, "grouping": kwGrouping,
	"having": kwHaving, "hop": kwHop, "hop_end": kwHopEnd, "hop_start": kwHopStart, "if": kwIf, "ilike": kwIlike,
	"in": kwIn, "inner": kwInner, "insert": kwInsert, "intersect": kwIntersect, "interval": kwInterval,
	"into": kwInto, "is": kwIs, "join": kwJoin, "last": kwLast, "last_value": kwLastValue, "left": kwLeft,
	"like": kwLike, "limit": kwLimit, "match_recognize": kwMatchRecognize, "materialized": kwMaterialized,
	"mod": kwMod, "natural": kwNatural, "not": kwNot, "nulls": kwNulls, "of": kwOf, "on": kwOn, "or": kwOr,
	"order": kwOrder, "outer": kwOuter, "over": kwOver, "pivot": kwPivot, "proctime": kwProctime, "qualify": kwQualify, "regexp": kwRegexp,
	"replace": kwReplace, "restrict": kwRestrict, "right": kwRight, "rlike": kwRlike, "rollup": kwRollup,
	"secret": kwSecret, "select": kwSelect, "semi": kwSemi, "session": kwSession, "session_end": kwSessionEnd,
	"session_start": kwSessionStart, "set": kwSet, "sets": kwSets, "show": kwShow, "sink": kwSink, "sounds": kwSounds, "status": kwStatus,
	"straight_join": kwStraightJoin, "stream": kwStream, "streams": kwStreams, "system_time": kwSystemTime, "temporary": kwTemporary,
	"table": kwTable, "tables": kwTables, "tablesample": kwTablesample, "then": kwThen, "timeout": kwTimeout,
	"tumble": kwTumble, "tumble_end": kwTumbleEnd, "tumble_start": kwTumbleStart, "union": kwUnion,
	"unpivot": kwUnpivot, "update": kwUpdate, "using": kwUsing, "value": kwValue, "values": kwValues,
	"view": kwView, "views": kwViews, "watermark": kwWatermark, "when": kwWhen, "where": kwWhere,
	"window": kwWindow, "with": kwWith, "within": kwWithin, "xor": kwXor,
}

const longestWord = 18 // of any word in a table here or in TiDB's

func lookupWord(s string) keyword {
	if len(s) > longestWord {
		return kwNone
	}
	var low [longestWord]byte
	return keywords[string(lower(low[:0], s))]
}

// lower appends s in lower case, ASCII only.
func lower(dst []byte, s string) []byte {
	for i := range len(s) {
		c := s[i]
		if c >= 'A' && c <= 'Z' {
			c |= 0x20
		}
		dst = append(dst, c)
	}
	return dst
}

// reserved holds the words that cannot be names unless they are quoted.
var reserved = func() map[string]bool {
	m := make(map[string]bool, 256)
	for _, k := range tidb.Keywords {
		if k.Reserved {
			m[strings.ToLower(k.Word)] = true
		}
	}
	return m
}()

func isReserved(s string) bool {
	var low [32]byte
	return len(s) <= len(low) && reserved[string(lower(low[:0], s))]
}
