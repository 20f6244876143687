package child

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestMain is also the server that the tests start: the test binary itself, told
// by the environment how to behave.
func TestMain(m *testing.M) {
	if mode := os.Getenv("CHILD_TEST"); mode != "" {
		os.Exit(pretend(mode))
	}
	os.Exit(m.Run())
}

// pretend is serve --data DIR --mysql ADDRESS.
func pretend(mode string) int {
	switch mode {
	case "broken":
		fmt.Fprintln(os.Stderr, "cannot open the data directory")
		return 1
	case "silent":
		select {}
	}
	l, err := net.Listen("tcp", os.Args[5])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	os.MkdirAll(os.Args[3], 0o755)
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM)
	fmt.Println("not the ready line")
	json.NewEncoder(os.Stdout).Encode(Ready{Ready: true, PID: os.Getpid(), MySQL: l.Addr().String(), Recovery: Recovery{Rows: 7}})
	if mode == "stubborn" {
		select {}
	}
	<-stop
	return 0
}

func start(t *testing.T, mode string) (*Server, error) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return Start(context.Background(), Options{
		Binary: self, Data: filepath.Join(t.TempDir(), "data"), Env: []string{"CHILD_TEST=" + mode}, Timeout: 2 * time.Second,
	})
}

func TestRestartKeepsTheAddress(t *testing.T) {
	s, err := start(t, "good")
	if err != nil {
		t.Fatal(err)
	}
	addr, pid := s.Addr(), s.Ready().PID
	if s.Ready().Recovery.Rows != 7 || !strings.Contains(s.DSN(), addr) {
		t.Errorf("%+v, %s", s.Ready(), s.DSN())
	}
	dial := func() error {
		c, err := net.Dial("tcp", addr)
		if err == nil {
			c.Close()
		}
		return err
	}
	if err := dial(); err != nil {
		t.Error(err)
	}
	s.Kill()
	if err := dial(); err == nil {
		t.Error("a killed server accepts connections")
	}
	if err := s.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	if s.Addr() != addr || s.Ready().PID == pid {
		t.Errorf("after restarts: %s, process %d; before %s, %d", s.Addr(), s.Ready().PID, addr, pid)
	}
	if err := dial(); err != nil {
		t.Error(err)
	}
	if err := s.Stop(); err != nil {
		t.Error(err)
	}
	<-s.Exited()
}

func TestStartThatFails(t *testing.T) {
	_, err := start(t, "broken")
	if err == nil || !strings.Contains(err.Error(), "cannot open the data directory") {
		t.Errorf("%v: the server's own words are missing", err)
	}
}

func TestStartThatHangs(t *testing.T) {
	_, err := start(t, "silent")
	if err == nil || !strings.Contains(err.Error(), "not ready after 2s") {
		t.Error(err)
	}
}

func TestTerminateKillsTheStubborn(t *testing.T) {
	s, err := start(t, "stubborn")
	if err != nil {
		t.Fatal(err)
	}
	// The process asks to hear of SIGTERM and then does nothing about it.
	if err := s.Terminate(200 * time.Millisecond); err == nil {
		t.Error("no error for a server that had to be killed")
	}
	<-s.Exited()
}

func TestPrivateDirectoryGoes(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s, err := Start(t.Context(), Options{Binary: self, Env: []string{"CHILD_TEST=good"}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(s.Data()); err != nil {
		t.Error(err)
	}
	if err := s.Stop(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(s.Data()); !os.IsNotExist(err) {
		t.Errorf("the temporary data directory is still there: %v", err)
	}
}
