// Package settings fills the flags of a command from three places: the command
// line, the environment, and a YAML file, the first that names a flag winning.
//
// The flag --checkpoint-interval is STREAMSQL_CHECKPOINT_INTERVAL in the
// environment, and in the file either the key checkpoint-interval or interval
// below checkpoint.
package settings

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"sort"
	"strings"

	"gopkg.in/yaml.v3"
)

// Prefix begins the names of environment variables.
const Prefix = "STREAMSQL_"

// FileFlag is the flag that names the YAML file, where a command has it.
const FileFlag = "config"

// Parse parses args into fs, then fills flags that args does not set. lookup is
// os.LookupEnv, or a fake of it. Errors say where a wrong value came from.
func Parse(fs *flag.FlagSet, args []string, lookup func(string) (string, bool)) error {
	if err := fs.Parse(args); err != nil {
		return err
	}
	set := map[string]bool{}
	fs.Visit(func(f *flag.Flag) { set[f.Name] = true })

	var errs []error
	fill := func(name, value, source string) {
		if set[name] {
			return
		}
		set[name] = true
		if err := fs.Set(name, value); err != nil {
			errs = append(errs, fmt.Errorf("%s: %q is no value for --%s: %w", source, value, name, err))
		}
	}
	fs.VisitAll(func(f *flag.Flag) {
		if value, ok := lookup(Variable(f.Name)); ok {
			fill(f.Name, value, "environment "+Variable(f.Name))
		}
	})
	if f := fs.Lookup(FileFlag); f != nil && f.Value.String() != "" {
		path := f.Value.String()
		values, err := readFile(path)
		if err != nil {
			return err
		}
		for _, name := range sortedKeys(values) {
			if fs.Lookup(name) == nil || name == FileFlag {
				errs = append(errs, fmt.Errorf("%s: unknown setting %s", path, name))
				continue
			}
			fill(name, values[name], path)
		}
	}
	return oneLine(errs)
}

// oneLine is all errors in a line; nil for none.
func oneLine(errs []error) error {
	if len(errs) < 2 {
		return errors.Join(errs...)
	}
	texts := make([]string, len(errs))
	for i, err := range errs {
		texts[i] = err.Error()
	}
	return errors.New(strings.Join(texts, "; "))
}

// Variable is the environment variable of a flag.
func Variable(flagName string) string {
	return Prefix + strings.ToUpper(strings.ReplaceAll(flagName, "-", "_"))
}

// readFile returns the file's scalars by flag name; nested keys are joined by '-'.
func readFile(path string) (map[string]string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var root map[string]any
	if err := yaml.Unmarshal(text, &root); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	out := map[string]string{}
	if err := flatten(root, "", out); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return out, nil
}

func flatten(m map[string]any, prefix string, out map[string]string) error {
	for key, value := range m {
		name := prefix + strings.ReplaceAll(key, "_", "-")
		switch v := value.(type) {
		case map[string]any:
			if err := flatten(v, name+"-", out); err != nil {
				return err
			}
		case []any:
			return fmt.Errorf("%s is a list; want one value", name)
		case nil: // a key with nothing behind it keeps the default
		default:
			out[name] = fmt.Sprint(v)
		}
	}
	return nil
}

func sortedKeys(m map[string]string) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}
