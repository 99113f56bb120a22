// Makes sure that earlier calls and their results reach the prompt. Some templates have no place for them and leave them out
// silently. Then a call is the text that the model would have written, and a result is a question.

import type { Message, MessageToolCall } from './message.ts';
import { type PromptConversation, type Render, renderUnlessRejected } from './render-prompt.ts';
import { addSpaces } from './renderers/go-text.ts';
import { bareLayout, defaultKeys } from './tool-calls/call-layouts.ts';
import type { CallLayout, CallSyntax } from './tool-calls/call-syntax.ts';

/** What a template says about calls. */
export interface CallTraits {
  /** How the model writes tool calls. Undefined: no grammar can hold them. */
  readonly callSyntax: CallSyntax | undefined;
  /** Whether it writes the calls of earlier turns, and has a role for their results. */
  readonly writesCalls: boolean;
  readonly writesResults: boolean;
}

export async function renderWithCalls(
  conversation: PromptConversation,
  { writesCalls, writesResults, callSyntax }: CallTraits,
  render: Render,
): Promise<string> {
  const layout = callSyntax?.layout ?? bareLayout(defaultKeys.nameKey, defaultKeys.argumentsKey);
  const messages = writesCalls
    ? conversation.messages
    : conversation.messages.map((message) => withWrittenCalls(message, layout));
  const shown = { ...conversation, messages };
  if (writesResults || !messages.some(isResult)) return render(shown);
  const text = await renderUnlessRejected(shown, render);
  const isShown = ({ content }: Message): boolean => typeof text === 'string' && text.includes(content.trim());
  if (typeof text === 'string' && messages.filter(isResult).every(isShown)) return text;
  return render({ ...shown, messages: messages.map((message) => (isResult(message) ? toQuestion(message) : message)) });
}

const isResult = ({ role }: Message): boolean => role === 'tool';

function toQuestion({ content, images }: Message): Message {
  return { role: 'user', content: `<tool_response>\n${content}\n</tool_response>`, images };
}

function withWrittenCalls(message: Message, layout: CallLayout): Message {
  const { toolCalls = [], ...rest } = message;
  if (toolCalls.length === 0) return message;
  return {
    ...rest,
    content: [message.content, writeCalls(toolCalls, layout)].filter((text) => text !== '').join('\n'),
  };
}

function writeCalls(
  calls: readonly MessageToolCall[],
  { open, close, before, after, between, form }: CallLayout,
): string {
  const written = calls.map((call, index) => before + writeCall(call, form, index) + after);
  // White space in a layout is optional before and after a list.
  return open.replace('> [', '>[') + written.join(between ?? '\n') + close.replace('] <', ']<');
}

/** Templates of the forms that are not here write calls. */
function writeCall({ name, arguments: args }: MessageToolCall, form: CallLayout['form'], index: number): string {
  switch (form.kind) {
    case 'keyed':
      return `{${JSON.stringify(name)}: ${toJson(args)}}`;
    case 'named':
      return `${name}${form.isNumbered ? `:${index}` : ''}${form.afterName}${toJson(args)}${form.afterArguments}`;
    case 'python':
      return `${name}(${Object.entries(args)
        .map(([key, value]) => `${key}=${toPython(value)}`)
        .join(', ')})`;
    default: {
      const { nameKey, argumentsKey } = form.kind === 'object' ? form : defaultKeys;
      return `{"${nameKey}": ${JSON.stringify(name)}, "${argumentsKey}": ${toJson(args)}}`;
    }
  }
}

/** JSON with blanks, as Python writes it. */
const toJson = (value: unknown): string => addSpaces(JSON.stringify(value));

const pythonWords = new Map<unknown, string>([
  [true, 'True'],
  [false, 'False'],
  [null, 'None'],
]);

function toPython(value: unknown): string {
  return pythonWords.get(value) ?? toJson(value);
}
