// Changes a copy of Ollama's source so that each call of a renderer or parser is recorded.

import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The methods that are recorded, with the methods that take their place. */
const wrappers: readonly { method: RegExp; renamed: string; wrapper: (type: string) => string }[] = [
  {
    method: /^(func \(\w+ \*(\w+)\) )Render\(messages /gm,
    renamed: 'renderUnrecorded(messages ',
    wrapper: (type) => `
func (r *${type}) Render(messages []api.Message, tools []api.Tool, think *api.ThinkValue) (string, error) {
	event := record.Event{
		"event": "render", "name": record.TakeName(), "type": "${type}", "shape": record.Shape(r),
		"messages": record.JSON(messages), "tools": record.JSON(tools), "think": think,
	}
	text, err := r.renderUnrecorded(messages, tools, think)
	event["text"], event["error"] = []byte(text), record.Message(err)
	record.Write(event)
	return text, err
}
`,
  },
  {
    method: /^(func \(\w+ \*(\w+)\) )Init\(tools /gm,
    renamed: 'initUnrecorded(tools ',
    wrapper: (type) => `
func (p *${type}) Init(tools []api.Tool, lastMessage *api.Message, think *api.ThinkValue) []api.Tool {
	id := record.ID(p)
	if !record.Enter(id) {
		return p.initUnrecorded(tools, lastMessage, think)
	}
	defer record.Leave(id)
	record.Write(record.Event{
		"event": "open", "name": record.TakeName(), "id": id, "type": "${type}", "shape": record.Shape(p),
		"hasTools": p.HasToolSupport(), "hasThinking": p.HasThinkingSupport(), "tokens": p.PreservedTokens(),
		"tools": tools, "lastMessage": lastMessage, "think": think,
	})
	return p.initUnrecorded(tools, lastMessage, think)
}
`,
  },
  {
    method: /^(func \(\w+ \*(\w+)\) )Add\(s string, done bool\)/gm,
    renamed: 'addUnrecorded(s string, done bool)',
    wrapper: (type) => `
func (p *${type}) Add(s string, done bool) (string, string, []api.ToolCall, error) {
	id := record.ID(p)
	if !record.Enter(id) {
		return p.addUnrecorded(s, done)
	}
	defer record.Leave(id)
	content, thinking, calls, err := p.addUnrecorded(s, done)
	record.Write(record.Event{
		"event": "push", "id": id, "type": "${type}", "given": []byte(s), "done": done,
		"content": []byte(content), "thinking": []byte(thinking), "calls": calls, "error": record.Message(err),
	})
	return content, thinking, calls, err
}
`,
  },
];

/** All files of a folder. */
export function instrument(folder: string): void {
  for (const name of readdirSync(folder)) {
    if (!name.endsWith('.go') || name.endsWith('_test.go')) continue;
    const path = join(folder, name);
    let text = readFileSync(path, 'utf8');
    let added = '';
    for (const { method, renamed, wrapper } of wrappers) {
      text = text.replace(method, (_, start: string, type: string) => {
        added += wrapper(type);
        return start + renamed;
      });
    }
    if (added === '') continue;
    const imported = text.replace(/^import /m, 'import "github.com/ollama/ollama/internal/record"\n$&');
    // The copy of a file in the module cache is not writable.
    rmSync(path);
    writeFileSync(path, imported + added);
  }
}
