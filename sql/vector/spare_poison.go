//go:build race || poison

package vector

func init() { PoisonSpares(true) }
