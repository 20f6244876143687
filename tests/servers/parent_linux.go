package servers

import "syscall"

// dieWithParent makes the kernel kill the child when we die.
func dieWithParent() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
