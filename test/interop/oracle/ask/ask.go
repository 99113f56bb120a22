// Asks Ollama's renderers and parsers, by their names. The answers are recorded.
package main

import (
	"encoding/json"
	"os"

	"github.com/ollama/ollama/api"
	"github.com/ollama/ollama/internal/record"
	"github.com/ollama/ollama/model/parsers"
	"github.com/ollama/ollama/model/renderers"
)

type conversation struct {
	Messages []api.Message   `json:"messages"`
	Tools    []api.Tool      `json:"tools"`
	Think    *api.ThinkValue `json:"think"`
}

type prompt struct {
	Renderer string `json:"renderer"`
	conversation
}

type answer struct {
	Parser      string          `json:"parser"`
	Pieces      []string        `json:"pieces"`
	Tools       []api.Tool      `json:"tools"`
	Think       *api.ThinkValue `json:"think"`
	LastMessage *api.Message    `json:"lastMessage"`
}

type questions struct {
	Renderers     []string       `json:"renderers"`
	Conversations []conversation `json:"conversations"`
	Prompts       []prompt       `json:"prompts"`
	Answers       []answer       `json:"answers"`
}

func main() {
	var asked questions
	if err := json.NewDecoder(os.Stdin).Decode(&asked); err != nil {
		panic(err)
	}
	renderers.RenderImgTags = true
	for _, name := range asked.Renderers {
		for _, c := range asked.Conversations {
			record.Name(name)
			renderers.RenderWithRenderer(name, c.Messages, c.Tools, c.Think)
		}
	}
	for _, p := range asked.Prompts {
		record.Name(p.Renderer)
		renderers.RenderWithRenderer(p.Renderer, p.Messages, p.Tools, p.Think)
	}
	for _, a := range asked.Answers {
		parser := parsers.ParserForName(a.Parser)
		record.Name(a.Parser)
		parser.Init(a.Tools, a.LastMessage, a.Think)
		read(parser, a)
	}
}

func read(parser parsers.Parser, a answer) {
	for _, piece := range a.Pieces {
		if _, _, _, err := parser.Add(piece, false); err != nil {
			return
		}
	}
	parser.Add("", true)
}
