package slt

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"os"
	"strings"
	"sync"
)

// Outcome is what became of one record.
type Outcome struct {
	Line   int      `json:"line"`
	Kind   string   `json:"kind"`
	SQL    string   `json:"sql,omitempty"`
	Result string   `json:"result"` // passed, failed or skipped
	Reason string   `json:"reason,omitempty"`
	Diff   []string `json:"diff,omitempty"`
	Millis float64  `json:"ms"`
}

// FileResult is what became of one script. Error is a failure outside any record.
type FileResult struct {
	File    string    `json:"file"`
	Passed  int       `json:"passed"`
	Failed  int       `json:"failed"`
	Skipped int       `json:"skipped"`
	Error   string    `json:"error,omitempty"`
	Seconds float64   `json:"seconds"`
	Records []Outcome `json:"records"`
}

// Report is what became of a run, in the order of the scripts given.
type Report struct {
	Files                   []*FileResult
	Passed, Failed, Skipped int // records

	mu sync.Mutex // orders the output of parallel scripts
}

func (r *Report) sum() {
	r.Passed, r.Failed, r.Skipped = 0, 0, 0
	for _, f := range r.Files {
		r.Passed += f.Passed
		r.Failed += f.Failed
		r.Skipped += f.Skipped
	}
}

// String is the last line of a run.
func (r *Report) String() string {
	return fmt.Sprintf("%d passed, %d failed, %d skipped", r.Passed, r.Failed, r.Skipped)
}

// OK reports whether something ran and nothing failed.
func (r *Report) OK() bool { return r.Failed == 0 && r.Passed > 0 }

// WriteJSON writes the outcome of every record to a file.
func (r *Report) WriteJSON(path string) error {
	text, err := json.MarshalIndent(r.Files, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(text, '\n'), 0o644)
}

// JUnit's XML: a suite per script, a case per record, as CI systems read it.
type (
	junitRoot struct {
		XMLName  xml.Name     `xml:"testsuites"`
		Tests    int          `xml:"tests,attr"`
		Failures int          `xml:"failures,attr"`
		Skipped  int          `xml:"skipped,attr"`
		Suites   []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Skipped  int         `xml:"skipped,attr"`
		Seconds  string      `xml:"time,attr"`
		Cases    []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Class   string      `xml:"classname,attr"`
		Name    string      `xml:"name,attr"`
		Seconds string      `xml:"time,attr"`
		Failure *junitFault `xml:"failure,omitempty"`
		Skipped *struct{}   `xml:"skipped,omitempty"`
	}
	junitFault struct {
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
)

// WriteJUnit writes the outcome of every record to a file in JUnit's XML.
func (r *Report) WriteJUnit(path string) error {
	root := junitRoot{Tests: r.Passed + r.Failed + r.Skipped, Failures: r.Failed, Skipped: r.Skipped}
	for _, f := range r.Files {
		s := junitSuite{
			Name: f.File, Tests: f.Passed + f.Failed + f.Skipped, Failures: f.Failed, Skipped: f.Skipped,
			Seconds: fmt.Sprintf("%.3f", f.Seconds),
		}
		for _, o := range f.Records {
			c := junitCase{Class: f.File, Name: fmt.Sprintf("line %d: %s", o.Line, o.Kind), Seconds: fmt.Sprintf("%.6f", o.Millis/1000)}
			switch o.Result {
			case "failed":
				c.Failure = &junitFault{Message: o.Reason, Text: o.SQL + "\n\n" + strings.Join(o.Diff, "\n")}
			case "skipped":
				c.Skipped = &struct{}{}
			}
			s.Cases = append(s.Cases, c)
		}
		if f.Error != "" {
			s.Cases = append(s.Cases, junitCase{Class: f.File, Name: "file", Seconds: "0", Failure: &junitFault{Message: f.Error}})
		}
		root.Suites = append(root.Suites, s)
	}
	text, err := xml.MarshalIndent(root, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append([]byte(xml.Header), append(text, '\n')...), 0o644)
}
