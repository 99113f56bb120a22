// The items of a task file: JSON lines with a prompt, and either choices or a check.

import { readFile, stat } from 'node:fs/promises';
import { HearthError, messageOf } from '../../base/errors.ts';
import type { ChatRequestTool } from '../../server/dialects/ollama/generation/chat-schema.ts';
import { compileSchema } from './check-answer.ts';
import type { EvalItem, ItemCheck } from './item.ts';
import { matchPattern } from './match-pattern.ts';

const limits = {
  bytes: 64 * 2 ** 20,
  items: 10_000,
  promptCharacters: 2 ** 18,
  textCharacters: 2 ** 16,
  choices: 64,
  tokens: 4096,
} as const;
const defaultMaxTokens = 256;

type Fields = Readonly<Record<string, unknown>>;

export async function readTaskFile(path: string): Promise<EvalItem[]> {
  const { size } = await stat(path);
  if (size > limits.bytes) throw invalid(`${path}: more than ${limits.bytes} bytes`);
  return parseTask(await readFile(path, 'utf8'), path);
}

export function parseTask(text: string, path: string): EvalItem[] {
  const items: EvalItem[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    if (items.length === limits.items) throw invalid(`${path}: more than ${limits.items} items`);
    try {
      items.push(parseItem(line));
    } catch (error) {
      throw invalid(`${path}:${index + 1}: ${messageOf(error)}`);
    }
  }
  if (items.length === 0) throw invalid(`${path}: no items`);
  return items;
}

function parseItem(line: string): EvalItem {
  const fields = readObject(JSON.parse(line), 'a line');
  const { prompt, category = 'task', choices, answer, check, tools, max_tokens: maxTokens = defaultMaxTokens } = fields;
  const known = ['prompt', 'category', 'choices', 'answer', 'check', 'tools', 'max_tokens'];
  refuseOthers(fields, known);
  const common = {
    prompt: readText(prompt, 'prompt', limits.promptCharacters),
    category: readText(category, 'category', 100),
  };
  if ((choices === undefined) === (check === undefined)) throw invalid('expected either choices or check');
  if (choices !== undefined) return { ...common, ...readChoices(choices, answer) };
  if (!isCount(maxTokens, limits.tokens)) throw invalid(`max_tokens must be an integer from 1 to ${limits.tokens}`);
  return { ...common, check: readCheck(check), tools: readTools(tools), maxTokens };
}

function readChoices(given: unknown, answer: unknown) {
  if (!Array.isArray(given) || given.length < 2 || given.length > limits.choices)
    throw invalid(`choices must be an array of 2 to ${limits.choices} texts`);
  const choices = given.map((choice) => readText(choice, 'a choice', limits.textCharacters));
  if (!Number.isInteger(answer) || choices[answer as number] === undefined)
    throw invalid('answer must be the index of the right choice, from 0 on');
  return { choices, answer: answer as number };
}

/** Each checks its value, and throws if it is not valid. */
const checks: { readonly [Key in Exclude<keyof ItemCheck, 'ignoreCase'>]-?: (value: unknown) => void } = {
  exact(value) {
    const texts = [value].flat();
    if (texts.length === 0 || texts.length > limits.choices)
      throw invalid('exact must be a text, or an array of texts');
    for (const text of texts) readText(text, 'exact', limits.textCharacters);
  },
  number(value) {
    if (typeof value !== 'number') throw invalid('number must be a number');
  },
  pattern: (value) => void matchPattern('', readText(value, 'pattern', limits.textCharacters), 'u'),
  schema(value) {
    try {
      compileSchema(value);
    } catch (error) {
      throw invalid(`schema is not valid: ${messageOf(error)}`);
    }
  },
  call(value) {
    if (value === null) return;
    const call = readObject(value, 'call');
    refuseOthers(call, ['name', 'arguments']);
    readText(call['name'], 'call.name', limits.textCharacters);
    readObject(call['arguments'], 'call.arguments');
  },
};

function readCheck(given: unknown): ItemCheck {
  const { ignore_case: ignoreCase, ...fields } = readObject(given, 'check');
  refuseOthers(fields, Object.keys(checks));
  const [entry, ...others] = Object.entries(fields);
  if (entry === undefined || others.length > 0)
    throw invalid(`check must have one of the fields ${Object.keys(checks).join(', ')}`);
  const [name, value] = entry;
  checks[name as keyof typeof checks](value);
  if (ignoreCase !== undefined && (typeof ignoreCase !== 'boolean' || name !== 'pattern'))
    throw invalid('ignore_case must be true or false, and belongs to pattern');
  return { [name]: value, ignoreCase: ignoreCase as boolean | undefined };
}

function readTools(given: unknown): ChatRequestTool[] | undefined {
  if (given === undefined) return undefined;
  if (!Array.isArray(given) || given.length > limits.choices)
    throw invalid(`tools must be an array of at most ${limits.choices} tools, as in /api/chat`);
  return given.map((tool) => {
    readText(readObject(readObject(tool, 'a tool')['function'], 'function of a tool')['name'], 'name of a tool', 1000);
    return tool as ChatRequestTool;
  });
}

function readObject(value: unknown, what: string): Fields {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields;
  throw invalid(`${what} must be an object`);
}

function readText(value: unknown, what: string, maxCharacters: number): string {
  if (typeof value !== 'string' || value === '') throw invalid(`${what} must be a text`);
  if (value.length > maxCharacters) throw invalid(`${what} has more than ${maxCharacters} characters`);
  return value;
}

function isCount(value: unknown, max: number): value is number {
  return Number.isInteger(value) && (value as number) >= 1 && (value as number) <= max;
}

function refuseOthers(fields: Fields, known: readonly string[]): void {
  const other = Object.keys(fields).find((name) => !known.includes(name));
  if (other !== undefined) throw invalid(`unknown field ${JSON.stringify(other.slice(0, 100))}`);
}

function invalid(message: string): HearthError {
  return new HearthError('bad_request', message);
}
