package mysqlwire

import (
	"context"

	"streamsql/server/session"
)

// Sessions is the backend of package session.
func Sessions(v *session.Server) Backend { return sessions{v} }

type sessions struct{ *session.Server }

func (b sessions) Open(ctx context.Context, c session.Client) (Session, error) {
	s, err := b.Server.Open(ctx, c)
	if err != nil {
		return nil, err // not a nil *session.Session in an interface
	}
	return s, nil
}
