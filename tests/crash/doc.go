// Package crash kills the server without warning under load, and checks that
// nothing acknowledged is lost, nothing is doubled, and every view equals the
// recomputation of its query.
//
// sync_linux_test.go needs strace, full_linux_test.go the right to mount. The sizes
// are flags; make soak runs the large ones:
//
//	go test ./tests/crash -run Kill -kills 500 -crash-seed 7
//	go test ./tests/crash -run Bank -reads 1000000
//	go test ./tests/crash -run Recovery -keys 10000000
//	go test ./tests/crash -run Growth -objects 10000
//
// TestChecksOnReference runs the load and its checks against MariaDB, where
// nothing is killed, and damages the rows: it shows that the checks see it.
package crash
