package slt

import (
	"os"
	"testing"

	"streamsql/tests/servers"
)

func TestMain(m *testing.M) { os.Exit(servers.Main(m)) }
