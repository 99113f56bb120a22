// Glimmer: every message has a recipient. The model thinks in messages to itself, and calls in messages to tools.

import type { Clock } from '../../../base/time/clock.ts';
import type { MapValue, Value } from '../../go-template/values/values.ts';
import { type Calendar, createCalendar } from '../jinja/strftime.ts';
import type { Message, MessageToolCall, Tool } from '../message.ts';
import { parametersJson, readParameters } from '../tool-schema.ts';
import { addSpaces, printGoValue, toPlainJson } from './go-text.ts';
import type { Renderer, RendererInput } from './renderer.ts';

const bos = '<|begin_of_text|>';

/** The default system message has the date. */
export function createGlimmerRenderer(clock: Pick<Clock, 'now'>): Renderer {
  return {
    thinkLevels: ['low', 'medium', 'high', 'max'],
    render: (input) => render(input, createCalendar(clock.now())),
  };
}

function render(input: RendererInput, today: Calendar): string {
  const { messages } = input;
  const calledNames = namesById(messages);
  const parts = [bos];
  if (!messages.some(({ role }) => role === 'system')) parts.push(writeSystem(defaultSystem(today), input));
  messages.forEach((message, index) => {
    const { role, content, toolName, toolCallId = '' } = message;
    if (role === 'system') parts.push(writeSystem(ownSystem(content), input));
    else if (role === 'user') parts.push(`<|start|>user<|message|>${content}<|eot|>`);
    else if (role === 'assistant') parts.push(writeAnswer(message, messages[index + 1]?.role === 'assistant'));
    else if (role === 'tool') {
      const name = toolName || (calledNames.get(toolCallId) ?? toolCallId);
      const output = `<tool_output name="${name}">\n${content}\n</tool_output>`;
      parts.push(`<|start|>tool ${name}<|message|>${output}<|eot|>`);
    }
  });
  parts.push('<|start|>assistant');
  return parts.join('');
}

interface SystemText {
  readonly text: string;
  /** The system message of a caller may set the strength itself. */
  readonly setsStrength: boolean;
}

function defaultSystem(today: Calendar): SystemText {
  const text = `You are a helpful AI assistant.\nKnowledge cutoff: 2026-01-04.\nCurrent date: ${today['F']}.`;
  return { text, setsStrength: false };
}

/** Older prompts say effort where this model says strength. */
function ownSystem(content: string): SystemText {
  const text = content
    .replace(/([Rr]easoning )effort/g, '$1strength')
    .replaceAll('Reasoning Effort', 'Reasoning Strength')
    .replaceAll('REASONING EFFORT', 'REASONING STRENGTH');
  return { text, setsStrength: text.toLowerCase().includes('reasoning strength') };
}

function writeSystem({ text, setsStrength }: SystemText, { tools, think }: RendererInput): string {
  const strength = think === false ? 'none' : typeof think === 'string' ? think : 'high';
  const namespaces = [...new Set(tools.map(({ name }) => namespaceOf(name)))];
  const recipients = ['"self"', ...namespaces.map((name) => `"${name}.*"`), '"user"'];
  const sections = [
    text,
    ...(setsStrength ? [] : [`Reasoning strength: ${strength}.`]),
    ...(tools.length === 0 ? [] : [writeTools(tools, namespaces)]),
    `# Valid recipients: ${recipients.join(', ')}.`,
  ];
  return `<|start|>system<|message|>${sections.join('\n\n')}<|eot|>`;
}

function namespaceOf(name: string): string {
  return name.split('.', 1)[0] ?? '';
}

function writeTools(tools: readonly Tool[], namespaces: readonly string[]): string {
  const described = namespaces.map((name) => `{"name": ${spacedJson(name)}, "description": ""}\n`);
  const schemas = tools.map((tool) => {
    const parameters = addSpaces(parametersJson(readParameters(tool), toPlainJson));
    const description = spacedJson(tool.description);
    return `\n{"name": ${spacedJson(tool.name)}, "description": ${description}, "parameters": ${parameters}}`;
  });
  return `${toolsIntroduction}${described.join('')}// Function schemas${schemas.join('')}${toolsExample}`;
}

const toolsIntroduction = `In this environment you have access to a set of tools you can use to answer the user's question.

You can invoke a function by writing a "<atem:function_calls>" block like the following:
<atem:function_calls>
<atem:invoke name="$FUNCTION_NAME">
<atem:parameter name="$PARAMETER_NAME">$PARAMETER_VALUE</atem:parameter>
...
</atem:invoke>
</atem:function_calls>

String and scalar parameters should be specified as is, while lists and objects should use JSON format. Note that spaces for string values are not stripped. The output is not expected to be valid XML and is parsed with regular expressions.
Here are the functions available in JSONSchema format:
// Tool metadata
`;

const toolsExample = `

Here's an example of how to call a function in the tool set:
(If the tool namespace is not specified, invoke the function directly as \`example_function_name\` rather than \`example_tool_name.example_function_name\`)

to=example_tool_name.example_function_name

<atem:function_calls>
<atem:invoke name="example_tool_name.example_function_name">
<atem:parameter name="example_parameter_1">value_1</atem:parameter>
<atem:parameter name="example_parameter_2">This is the value for the second parameter
that can span
"multiple" lines
</atem:parameter>
</atem:invoke>
</atem:function_calls>`;

function writeAnswer({ content, thinking = '', toolCalls = [] }: Message, isFollowed: boolean): string {
  const parts: string[] = [];
  if (thinking !== '') parts.push(`<|start|>assistant to=self<|message|>${thinking}<|eom|>`);
  if (toolCalls.length > 0) {
    const calls = toolCalls.map((call) => `<|start|>assistant to=${call.name}<|message|>${writeCall(call)}`);
    parts.push(calls.join('<|eom|>'), isFollowed ? '<|eom|>' : '<|eot|>');
  } else if (content !== '' || thinking === '') parts.push(`<|start|>assistant to=user<|message|>${content}<|eot|>`);
  return parts.join('');
}

function writeCall({ name, arguments: values }: MessageToolCall): string {
  const list = Object.entries(values as MapValue).map(
    ([key, value]) => `<atem:parameter name="${key}">${argumentText(value)}</atem:parameter>\n`,
  );
  return `<atem:function_calls>\n<atem:invoke name="${name}">\n${list.join('')}</atem:invoke>\n</atem:function_calls>`;
}

function argumentText(value: Value): string {
  return typeof value === 'object' ? spacedJson(value) : printGoValue(value);
}

function spacedJson(value: Value): string {
  return addSpaces(toPlainJson(value));
}

/** The last call with an id counts. */
function namesById(messages: readonly Message[]): ReadonlyMap<string, string> {
  const calls = messages.flatMap(({ toolCalls = [] }) => toolCalls);
  return new Map(calls.flatMap(({ id, name }) => (id ? [[id, name]] : [])));
}
