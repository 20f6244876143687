//go:build !linux

package child

import "syscall"

// dieWithParent has no counterpart outside Linux.
func dieWithParent() *syscall.SysProcAttr { return nil }
