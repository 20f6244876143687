//go:build !linux

package servers

import "syscall"

// dieWithParent has no counterpart outside Linux.
func dieWithParent() *syscall.SysProcAttr { return nil }
