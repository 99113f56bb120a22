// Renders every case of cases.json with Ollama's own template package and prints an object of case name to text.
// See README.md.
package main

import (
	"encoding/json"
	"os"
	"strings"

	"github.com/ollama/ollama/api"
	"github.com/ollama/ollama/template"
)

type testCase struct {
	Name     string
	Template string
	Tools    api.Tools
	Messages []api.Message
}

func render(c testCase) string {
	parsed, err := template.Parse(c.Template)
	if err != nil {
		panic(c.Name + ": " + err.Error())
	}
	var text strings.Builder
	if err := parsed.Execute(&text, template.Values{Tools: c.Tools, Messages: c.Messages}); err != nil {
		panic(c.Name + ": " + err.Error())
	}
	return text.String()
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
	results := map[string]string{}
	for _, c := range cases {
		results[c.Name] = render(c)
	}
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(results); err != nil {
		panic(err)
	}
}
