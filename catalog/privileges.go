package catalog

import (
	"strings"

	"streamsql/sql/sqlerr"
)

// Privilege is a set of MySQL's privileges.
type Privilege uint32

// The privileges that statements ask for.
const (
	Select Privilege = 1 << iota
	Insert
	Update
	Delete
	Create
	Drop
	Alter
	Index
	CreateView
	Subscribe
	File
	CreateRoutine
	AlterRoutine
	All Privilege = 1<<iota - 1
)

var privilegeNames = map[Privilege]string{
	Select: "SELECT", Insert: "INSERT", Update: "UPDATE", Delete: "DELETE", Create: "CREATE", Drop: "DROP",
	Alter: "ALTER", Index: "INDEX", CreateView: "CREATE VIEW", Subscribe: "SUBSCRIBE",
	File: "FILE", CreateRoutine: "CREATE ROUTINE", AlterRoutine: "ALTER ROUTINE",
}

// String names the privileges as MySQL's error messages do.
func (p Privilege) String() string {
	var names []string
	for bit := Select; bit < All; bit <<= 1 {
		if p&bit != 0 {
			names = append(names, privilegeNames[bit])
		}
	}
	return strings.Join(names, ", ")
}

// Grant gives privileges on *.* (Database and Table empty), db.* (Table empty)
// or one object.
type Grant struct {
	Privileges Privilege
	Database   string
	Table      string
}

// User is who a session speaks for.
type User struct {
	Name, Host string
	Grants     []Grant
}

// Superuser is a user who may do everything.
func Superuser(name, host string) *User {
	return &User{Name: name, Host: host, Grants: []Grant{{Privileges: All}}}
}

// Need is what a statement asks for on one object. Table is empty for a
// database as a whole.
type Need struct {
	Privilege Privilege
	Database  string
	Table     string
}

// readOnly are the databases that nobody writes to: they are computed. Everybody
// may read those that show nobody's data.
var readOnly = map[string]struct{ public bool }{
	"information_schema": {true}, "performance_schema": {true}, "streamsql": {false},
}

// Check answers nil when u may do n, else error 1142 for an object or 1044 for
// a database.
func Check(u *User, n Need) error {
	if db, ok := readOnly[strings.ToLower(n.Database)]; ok {
		if n.Privilege != Select {
			return databaseDenied(u, n.Database)
		}
		if db.public {
			return nil
		}
	}
	var have Privilege
	for _, g := range u.Grants {
		if (g.Database == "" || g.Database == n.Database) && (g.Table == "" || g.Table == n.Table) {
			have |= g.Privileges
		}
	}
	missing := n.Privilege &^ have
	switch {
	case missing == 0:
		return nil
	case n.Table == "":
		return databaseDenied(u, n.Database)
	default:
		return sqlerr.New(sqlerr.TableAccessDenied, "%s command denied to user '%s'@'%s' for table '%s'",
			missing, u.Name, u.Host, n.Table)
	}
}

func databaseDenied(u *User, db string) error {
	return sqlerr.New(sqlerr.DBAccessDenied, "Access denied for user '%s'@'%s' to database '%s'", u.Name, u.Host, db)
}
