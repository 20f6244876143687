package main

import (
	"context"
	"flag"
	"fmt"
	"strings"

	"streamsql/cmd/streamsql/settings"
	"streamsql/cmd/streamsql/shell"
)

// runSQL is the shell.
func runSQL(ctx context.Context, e env, args []string) int {
	o, fs, err := parseSQL(e, args)
	if err != nil {
		return fs.Failed(err, e.stdout, e.stderr)
	}
	return shell.Run(ctx, o, e.stdin, e.stdout, e.stderr)
}

// parseSQL reads the flags of sql. They are those of the mysql client, also
// written as it takes them, without a space: -uroot -P4000 -pSECRET. The
// password may come from STREAMSQL_PASSWORD or MYSQL_PWD.
// With nothing behind it -h asks for help.
func parseSQL(e env, args []string) (o shell.Options, fs *settings.Flags, err error) {
	fs = settings.NewFlags("sql", "[flags] [file.sql]", "Connects to a server of the MySQL protocol and runs statements: those of -e, of the file,\nor of the standard input; on a terminal, those that you type.")
	for _, name := range []string{"h", "host"} {
		fs.StringVar(&o.Host, name, "127.0.0.1", "server `host`, or the path of a socket")
	}
	for _, name := range []string{"P", "port"} {
		fs.IntVar(&o.Port, name, 4000, "server `port`")
	}
	for _, name := range []string{"u", "user"} {
		fs.StringVar(&o.User, name, "root", "`user` name")
	}
	for _, name := range []string{"D", "database"} {
		fs.StringVar(&o.Database, name, "", "`database` to use")
	}
	for _, name := range []string{"e", "execute"} {
		fs.StringVar(&o.Execute, name, "", "run these `statements` and leave")
	}
	fs.BoolVar(&o.AskPassword, "p", false, "ask for the password; -pSECRET gives it")
	fs.StringVar(&o.Password, "password", "", "the `password`")
	for _, name := range []string{"f", "force"} {
		fs.BoolVar(&o.Force, name, false, "go on after an error")
	}
	for _, name := range []string{"t", "table"} {
		fs.BoolVar(&o.Table, name, false, "print tables also where nobody looks")
	}
	if asksHelp(args) {
		return o, fs, flag.ErrHelp
	}
	if err := fs.Parse(splitShort(args)); err != nil {
		return o, fs, err
	}
	if fs.NArg() > 1 {
		return o, fs, fmt.Errorf("flags stand before the file, and it is one file at a time: what is %q?", fs.Arg(1))
	}
	o.File = fs.Arg(0)
	for _, name := range []string{"STREAMSQL_PASSWORD", "MYSQL_PWD"} {
		if p, ok := e.lookup(name); ok && o.Password == "" {
			o.Password = p
		}
	}
	return o, fs, nil
}

// asksHelp tells -h for help from mysql's -h HOST.
func asksHelp(args []string) bool {
	return len(args) == 1 && (args[0] == "-h" || args[0] == "-help" || args[0] == "--help")
}

// splitShort takes the flags of one letter off the values that follow them
// without a space. Flags with longer names begin with two dashes, or are one
// of the names here.
func splitShort(args []string) []string {
	var out []string
	for i, a := range args {
		if a == "--" || len(a) > 0 && a[0] != '-' {
			if a != "--" && i > 0 && takesValue(args[i-1]) {
				out = append(out, a)
				continue
			}
			return append(out, args[i:]...)
		}
		name, _, _ := strings.Cut(strings.TrimLeft(a, "-"), "=")
		switch name {
		case "host", "port", "user", "database", "execute", "password", "force", "table", "help":
			out = append(out, a)
			continue
		}
		if len(a) > 2 && a[1] != '-' && a[2] != '=' {
			if a[1] == 'p' {
				out = append(out, "-password="+a[2:])
				continue
			}
			if takesValue(a[:2]) {
				out = append(out, a[:2], a[2:])
				continue
			}
		}
		out = append(out, a)
	}
	return out
}

// takesValue reports flags whose value may be the next argument.
func takesValue(flag string) bool {
	switch strings.TrimLeft(flag, "-") {
	case "h", "P", "u", "D", "e", "host", "port", "user", "database", "execute", "password":
		return true
	}
	return false
}
