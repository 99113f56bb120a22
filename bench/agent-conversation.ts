// A conversation of the size that coding agents have: a long system prompt with tools, then turns that each repeat all
// messages and add the answer and the result of a tool.

import { readStream } from './read-stream.ts';
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
  turn(): Promise<number>;
}

export interface AgentMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly content: string;
}

export interface TurnAnswer {
  readonly content: string;
  readonly firstTextMs: number;
}

/** Sends a conversation to a server. */
export type SendTurn = (messages: readonly AgentMessage[], tokens: number) => Promise<TurnAnswer>;

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

export function createConversation({ prompt, result, answer }: AgentSizes, send: SendTurn): AgentConversation {
  const messages: AgentMessage[] = [
    { role: 'system', content: textOf(prompt - JSON.stringify(tools).length) },
    { role: 'user', content: 'Rename the function and run the tests.' },
  ];
  return {
    async turn() {
      const { content, firstTextMs } = await send(messages, answer);
      messages.push({ role: 'assistant', content }, { role: 'tool', content: textOf(result) });
      return firstTextMs;
    },
  };
}

/** A text of this many characters that no other conversation has. */
function textOf(length: number): string {
  return freshText(Math.ceil(length / 2)).slice(0, Math.max(1, length));
}

/** `url` is called for each turn: a server that was restarted has another one. */
export function sendToHearth(url: () => string, model: string): SendTurn {
  return async (messages, tokens) => {
    const options = { num_predict: tokens, temperature: 0 };
    const { lines, firstText: firstTextMs } = await readStream(`${url()}/api/chat`, {
      model,
      messages,
      tools,
      options,
    });
    const answers = lines.map((line) => JSON.parse(line) as { message?: { content: string }; error?: string });
    const failed = answers.find(({ error }) => error !== undefined);
    if (failed !== undefined) throw new Error(failed.error);
    return { content: answers.map(({ message }) => message?.content ?? '').join(''), firstTextMs };
  };
}

/** llama-server gets the text of the prompt, so that both servers evaluate the same number of tokens. */
export function sendToLlamaServer(url: string): SendTurn {
  return async (messages, tokens) => {
    const rest = messages.slice(1).map(({ role, content }) => `${role}: ${content}\n`);
    const prompt = `${messages[0]?.content}\n${JSON.stringify(tools)}\n${rest.join('')}assistant: `;
    const body = { prompt, n_predict: tokens, temperature: 0, cache_prompt: true, stream: true };
    // llama-server closes idle connections without notice.
    const { lines, firstText: firstTextMs } = await readStream(`${url}/completion`, body, { newConnection: true });
    const texts = lines.flatMap((line) => {
      if (!line.startsWith('data: ')) return [];
      const { content, error } = JSON.parse(line.slice(6)) as { content?: string; error?: { message: string } };
      if (error !== undefined) throw new Error(error.message);
      return [content ?? ''];
    });
    return { content: texts.join(''), firstTextMs };
  };
}
