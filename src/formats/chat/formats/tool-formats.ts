// Formats with tools. Their prompts equal those of the Jinja templates, except that the JSON has no spaces.

import type { FormatRow } from './chat-format.ts';

// Joins without line breaks: every line break of the prompt is written out.
const lines = (...parts: readonly string[]): string => parts.join('');

const qwenDefault = 'You are Qwen, created by Alibaba Cloud. You are a helpful assistant.';

const qwen: FormatRow = {
  name: 'qwen2.5-instruct',
  marks: ['<|im_start|>', '<|im_end|>\n', '<tools>', '<tool_call>\n', '<tool_response>\n', qwenDefault],
  lacks: ['<think>', 'reasoning_content', '<|vision_start|>'],
  template: lines(
    `<|im_start|>system\n{{ if .System }}{{ .System }}{{ else }}${qwenDefault}{{ end }}`,
    '{{ if .Tools }}\n\n# Tools\n\nYou may call one or more functions to assist with the user query.\n\n',
    'You are provided with function signatures within <tools></tools> XML tags:\n<tools>',
    '{{ range .Tools }}\n{{ . }}{{ end }}\n</tools>\n\n',
    'For each function call, return a json object with function name and arguments within <tool_call></tool_call> XML tags:\n',
    '<tool_call>\n{"name": <function-name>, "arguments": <args-json-object>}\n</tool_call>{{ end }}<|im_end|>\n',
    // Consecutive tool results share a turn.
    '{{ $answers := false }}{{ range $i, $message := .Messages }}{{ $last := eq (len (slice $.Messages $i)) 1 }}',
    '{{ if and $answers (ne .Role "tool") }}<|im_end|>\n{{ $answers = false }}{{ end }}',
    '{{ if eq .Role "user" }}<|im_start|>user\n{{ .Content }}<|im_end|>\n',
    '{{ else if eq .Role "assistant" }}<|im_start|>assistant\n{{ .Content }}',
    '{{ if .ToolCalls }}{{ if .Content }}{{ "\\n" }}{{ end }}{{ range $n, $call := .ToolCalls }}{{ if $n }}{{ "\\n" }}{{ end }}',
    '<tool_call>\n{"name": "{{ .Function.Name }}", "arguments": {{ .Function.Arguments }}}\n</tool_call>{{ end }}{{ end }}',
    '{{ if or .ToolCalls (not $last) }}<|im_end|>\n{{ end }}',
    '{{ else if eq .Role "tool" }}{{ if not $answers }}<|im_start|>user{{ $answers = true }}{{ end }}',
    '\n<tool_response>\n{{ .Content }}\n</tool_response>{{ if $last }}<|im_end|>\n{{ end }}{{ end }}',
    '{{ if and $last (or .ToolCalls (ne .Role "assistant")) }}<|im_start|>assistant\n{{ end }}{{ end }}',
  ),
  stop: ['<|im_start|>', '<|im_end|>'],
};

const llama: FormatRow = {
  name: 'llama3.1-instruct',
  marks: ['<|start_header_id|>', '<|eot_id|>', 'Environment: ipython\n', 'Cutting Knowledge Date: December 2023\n'],
  has: ['"26 Jul 2024"', 'tools_in_user_message'],
  // Later versions write the current date.
  lacks: ['strftime_now', '<think>'],
  template: lines(
    '<|start_header_id|>system<|end_header_id|>\n\n{{ if .Tools }}Environment: ipython\n{{ end }}',
    'Cutting Knowledge Date: December 2023\nToday Date: 26 Jul 2024\n\n{{ .System }}<|eot_id|>',
    '{{ $shown := false }}{{ range $i, $message := .Messages }}{{ $last := eq (len (slice $.Messages $i)) 1 }}',
    '{{ if eq .Role "user" }}<|start_header_id|>user<|end_header_id|>\n\n',
    '{{ if and $.Tools (not $shown) }}{{ $shown = true }}',
    'Given the following functions, please respond with a JSON for a function call with its proper arguments that best answers the given prompt.\n\n',
    'Respond in the format {"name": function name, "parameters": dictionary of argument name and its value}.Do not use variables.\n\n',
    '{{ range $.Tools }}{{ . }}\n\n{{ end }}{{ end }}{{ .Content }}<|eot_id|>',
    '{{ else if eq .Role "assistant" }}<|start_header_id|>assistant<|end_header_id|>\n\n',
    '{{ if .ToolCalls }}{{ range .ToolCalls }}{"name": "{{ .Function.Name }}", "parameters": {{ .Function.Arguments }}}{{ end }}',
    '{{ else }}{{ .Content }}{{ end }}{{ if or .ToolCalls (not $last) }}<|eot_id|>{{ end }}',
    '{{ else if eq .Role "tool" }}<|start_header_id|>ipython<|end_header_id|>\n\n{{ json .Content }}<|eot_id|>{{ end }}',
    '{{ if and $last (or .ToolCalls (ne .Role "assistant")) }}<|start_header_id|>assistant<|end_header_id|>\n\n{{ end }}{{ end }}',
  ),
  stop: ['<|start_header_id|>', '<|end_header_id|>', '<|eot_id|>', '<|eom_id|>'],
};

const mistral: FormatRow = {
  name: 'mistral-instruct-v0.3',
  marks: [
    '[AVAILABLE_TOOLS] [',
    '[/AVAILABLE_TOOLS]',
    '[TOOL_CALLS] [',
    '[TOOL_RESULTS] {"content": ',
    '[INST] ',
    '[/INST]',
  ],
  has: ['eos_token'],
  lacks: ['[SYSTEM_PROMPT]', ' [/INST]', ' [INST]'],
  eos: '</s>',
  template: lines(
    '{{ $asked := 0 }}{{ range $i, $message := .Messages }}{{ if eq .Role "user" }}{{ $asked = $i }}{{ end }}{{ end }}',
    '{{ range $i, $message := .Messages }}{{ $last := eq (len (slice $.Messages $i)) 1 }}',
    '{{ if eq .Role "user" }}',
    '{{ if and $.Tools (eq $i $asked) }}[AVAILABLE_TOOLS] {{ $.Tools }}[/AVAILABLE_TOOLS]{{ end }}',
    // The system message is written only with the last question.
    '[INST] {{ if and $.System $last }}{{ $.System }}\n\n{{ end }}{{ .Content }}[/INST]',
    '{{ else if eq .Role "assistant" }}',
    '{{ if .ToolCalls }}[TOOL_CALLS]{{ " [" }}{{ range $n, $call := .ToolCalls }}{{ if $n }}, {{ end }}',
    '{"name": "{{ .Function.Name }}", "arguments": {{ .Function.Arguments }}{{ if .ID }}, "id": "{{ .ID }}"{{ end }}}{{ end }}]</s>',
    '{{ else }} {{ .Content }}{{ if not $last }}</s>{{ end }}{{ end }}',
    '{{ else if eq .Role "tool" }}[TOOL_RESULTS] {"content": {{ .Content }}',
    '{{ if .ToolCallID }}, "call_id": "{{ .ToolCallID }}"{{ end }}}[/TOOL_RESULTS]{{ end }}{{ end }}',
  ),
  stop: ['[INST]', '[/INST]'],
};

export const toolFormats: readonly FormatRow[] = [qwen, llama, mistral];
