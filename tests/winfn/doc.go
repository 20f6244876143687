// Package winfn runs random queries with window functions and LIMIT against
// MariaDB: a view must give what the query gives, and both what MariaDB gives,
// after each of some random changes of the rows.
package winfn
