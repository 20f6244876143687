// Package blackhole is the connector that takes everything and keeps nothing: a
// sink to measure a query by itself, or to try one out.
package blackhole

import (
	"context"

	"streamsql/operators/batch"
	"streamsql/operators/connector"
)

// Kind returns the connector.
func Kind() *connector.Kind {
	return &connector.Kind{
		Name:       "blackhole",
		Doc:        "Takes every change of a query, counts it (SHOW SINKS), and keeps nothing.",
		Example:    "CREATE SINK busy WITH (connector = 'blackhole') AS SELECT auction, COUNT(*) FROM bids GROUP BY auction",
		Changelogs: []connector.Changelog{connector.Append, connector.Upsert, connector.Retract},
		Discards:   true,
		Sink:       func(connector.SinkSpec) (connector.Sink, error) { return sink{}, nil },
	}
}

type sink struct{}

func (sink) Write(context.Context, uint64, []*batch.Chunk) error { return nil }
func (sink) Taken() uint64                                       { return 0 }
func (sink) Close() error                                        { return nil }
