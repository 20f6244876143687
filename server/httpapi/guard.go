package httpapi

import (
	"context"
	"fmt"
	"net/http"
	"runtime/debug"

	"streamsql/server/auth"
	"streamsql/server/session"
	"streamsql/sql/sqlerr"
)

type clientKey struct{}

// guard lets requests through that come from an account, and catches panics.
func (v *Server) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			if p := recover(); p != nil && p != http.ErrAbortHandler {
				v.options.Log.Error("panic in a request", "path", r.URL.Path, "panic", p, "stack", string(debug.Stack()))
				refuse(w, http.StatusInternalServerError, "Internal error: %.200s", fmt.Sprint(p))
			}
		}()
		if r.Header.Get("Origin") != "" {
			// Browsers say so for a page's scripts. A page must not write for who reads it.
			refuse(w, http.StatusForbidden, "Requests from web pages are not taken")
			return
		}
		c, err := v.authenticate(r)
		if err != nil {
			w.Header().Set("WWW-Authenticate", `Basic realm="StreamSQL", charset="UTF-8"`)
			fail(w, http.StatusUnauthorized, sqlerr.From(err))
			return
		}
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), clientKey{}, c)))
	})
}

// authenticate proves who sends a request. It answers for an unknown user as for
// a known one with a wrong password.
func (v *Server) authenticate(r *http.Request) (session.Client, error) {
	host := auth.Host(r.RemoteAddr)
	user, password, given := r.BasicAuth()
	if given {
		account, found := v.options.Accounts.Lookup(user, host)
		if !found {
			account = auth.Unknown(user)
		}
		if v.sha2.CheckPassword(account, []byte(password)) && found {
			return session.Client{ID: firstID | v.lastID.Add(1), User: user, Host: host}, nil
		}
	}
	using := "NO"
	if password != "" {
		using = "YES"
	}
	return session.Client{}, sqlerr.New(sqlerr.AccessDenied, "Access denied for user '%s'@'%s' (using password: %s)", user, host, using)
}
