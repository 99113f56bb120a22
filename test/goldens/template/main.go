// Renders every case of cases.json with text/template of Go and prints an object of case name to text, or to null if Go
// returns an error. See README.md.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"sort"
	"strconv"
	"strings"
	"text/template"
)

type testCase struct {
	Name     string
	Template string
	Data     any
	// The first minor version of Go 1 with this behavior. Older versions skip the case.
	Since int
	// The expected outcome. A different outcome is a mistake in cases.json.
	ExpectError bool
}

// A map and a list with a String method, like tools and arguments.
type speakingMap map[string]any
type speakingList []any

func (m speakingMap) String() string  { return marshal(map[string]any(m)) }
func (l speakingList) String() string { return marshal([]any(l)) }

func marshal(value any) string {
	text, _ := json.Marshal(value)
	return string(text)
}

// JSON has neither integers nor String methods: {"$int": 3} and {"$speaking": …} represent them.
func revive(value any) any {
	switch value := value.(type) {
	case []any:
		for i, item := range value {
			value[i] = revive(item)
		}
	case map[string]any:
		if number, ok := value["$int"]; ok {
			return int(number.(float64))
		}
		if inner, ok := value["$speaking"]; ok {
			switch inner := revive(inner).(type) {
			case map[string]any:
				return speakingMap(inner)
			case []any:
				return speakingList(inner)
			}
		}
		for key, item := range value {
			value[key] = revive(item)
		}
	}
	return value
}

var simpleTypes = map[string]string{
	"string": "string", "number": "number", "integer": "number", "boolean": "boolean", "null": "null",
	"object": "Record<string, any>", "array": "any[]",
}

func typeOf(name string) string {
	if text, ok := simpleTypes[name]; ok {
		return text
	}
	return "any"
}

func typeScriptType(value any) string {
	property, ok := value.(map[string]any)
	if !ok {
		return "any"
	}
	var types []string
	if choices, ok := property["anyOf"].([]any); ok && len(choices) > 0 {
		for _, choice := range choices {
			types = append(types, typeScriptType(choice))
		}
		return strings.Join(types, " | ")
	}
	switch kind := property["type"].(type) {
	case string:
		return typeOf(kind)
	case []any:
		for _, name := range kind {
			text, _ := name.(string)
			types = append(types, typeOf(text))
		}
	}
	if len(types) == 0 {
		return "any"
	}
	return strings.Join(types, " | ")
}

var functions = template.FuncMap{
	"json":             marshal,
	"currentDate":      func() string { return "2024-03-01" },
	"yesterdayDate":    func() string { return "2024-02-29" },
	"toTypeScriptType": typeScriptType,
}

func render(c testCase) (string, error) {
	parsed, err := template.New("").Option("missingkey=zero").Funcs(functions).Parse(c.Template)
	if err != nil {
		return "", err
	}
	var text strings.Builder
	err = parsed.Execute(&text, revive(c.Data))
	return text.String(), err
}

func minorVersion() int {
	parts := strings.Split(strings.TrimPrefix(runtime.Version(), "go"), ".")
	minor, _ := strconv.Atoi(parts[1])
	return minor
}

func main() {
	text, err := os.ReadFile("cases.json")
	if err != nil {
		panic(err)
	}
	var cases []testCase
	if err := json.Unmarshal(text, &cases); err != nil {
		panic(err)
	}
	results := map[string]*string{}
	var surprises []string
	for _, c := range cases {
		if c.Since > minorVersion() {
			continue
		}
		output, err := render(c)
		if (err != nil) != c.ExpectError {
			surprises = append(surprises, fmt.Sprintf("%s: output %q, error %v", c.Name, output, err))
		}
		if _, ok := results[c.Name]; ok {
			surprises = append(surprises, c.Name+": a second case of this name")
		}
		results[c.Name] = nil
		if err == nil {
			results[c.Name] = &output
		}
		if err != nil && len(os.Args) > 1 {
			fmt.Fprintln(os.Stderr, c.Name+": "+err.Error())
		}
	}
	sort.Strings(surprises)
	for _, surprise := range surprises {
		fmt.Fprintln(os.Stderr, surprise)
	}
	if len(surprises) > 0 {
		os.Exit(1)
	}
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(results); err != nil {
		panic(err)
	}
}
