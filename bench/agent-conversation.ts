// A conversation of the size that coding agents have: a long system prompt with tools, then turns that each repeat all
// messages and add the answer and the result of a tool.

import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { freshText } from './server-load.ts';

export interface AgentSizes {
  /** Tokens of the first prompt. A character of a text is a token. */
  readonly prompt: number;
  /** Tokens of the result of a tool. */
  readonly result: number;
  readonly answer: number;
}

export interface AgentConversation {
  /** Sends the next turn. Returns the milliseconds to its first text. */
  turn(url: string): Promise<number>;
}

interface Message {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly content: string;
}

const toolNames = ['read_file', 'write_file', 'run_command', 'search', 'list_folder', 'fetch_page'];

const tools = toolNames.map((name) => ({
  type: 'function',
  function: {
    name,
    description: `Performs ${name.replace('_', ' ')} in the folder of the project and returns the result as text.`,
    parameters: {
      type: 'object',
      properties: { path: { type: 'string', description: 'A path in the project.' }, content: { type: 'string' } },
      required: ['path'],
    },
  },
}));

export function createConversation(model: string, { prompt, result, answer }: AgentSizes): AgentConversation {
  const messages: Message[] = [
    { role: 'system', content: textOf(prompt - JSON.stringify(tools).length) },
    { role: 'user', content: 'Rename the function and run the tests.' },
  ];
  return {
    async turn(url) {
      const options = { num_predict: answer, temperature: 0 };
      const { content, firstText } = await chat(url, { model, messages, tools, options });
      messages.push({ role: 'assistant', content }, { role: 'tool', content: textOf(result) });
      return firstText;
    },
  };
}

/** A text of this many characters that no other conversation has. */
function textOf(length: number): string {
  return freshText(Math.ceil(length / 2)).slice(0, Math.max(1, length));
}

async function chat(url: string, body: object): Promise<{ readonly content: string; readonly firstText: number }> {
  const call = request(`${url}/api/chat`, { method: 'POST' });
  const sent = performance.now();
  call.end(JSON.stringify(body));
  const [response] = (await once(call, 'response')) as [IncomingMessage];
  let firstText: number | undefined;
  let received = '';
  response.on('data', (chunk: Buffer) => {
    firstText ??= performance.now() - sent;
    received += chunk.toString();
  });
  await once(response, 'end');
  const lines = received
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { message?: { content: string }; error?: string });
  const failed = lines.find(({ error }) => error !== undefined);
  if (failed !== undefined || firstText === undefined) throw new Error(failed?.error ?? 'the stream has no text');
  return { content: lines.map(({ message }) => message?.content ?? '').join(''), firstText };
}
