//go:build !linux

package engine

// machineMemory is the machine's memory in bytes, 0 if it cannot be told.
func machineMemory() int64 { return 0 }
