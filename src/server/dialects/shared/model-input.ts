// Converts the fields that every request for a loaded model has. All dialects convert them here.

import { HearthError } from '../../../base/errors.ts';
import { parseJson } from '../../../base/json-values.ts';
import { JsonScanner } from '../../../base/text/json-scanner.ts';
import type { GenerationOptions } from '../../../inference/model/conversation.ts';
import { parseKeepAlive } from '../../../models/keep-alive.ts';
import { parseRequestedModel } from '../../../models/name.ts';
import { parseOptions } from '../../../models/options.ts';
import { isThinkLevel, type ThinkOption } from '../../../models/think.ts';
import type { ModelInput } from '../../services/generation/prepare-model.ts';
import { optionAliases, topLevelOptions } from './common-fields-schema.ts';
import { type Fields, invalid, objectOf } from './read-fields.ts';

export interface ModelFields {
  readonly model?: string;
  readonly options?: Readonly<Record<string, unknown>>;
  readonly keep_alive?: unknown;
}

/** `emptyIsUnknown`: an empty name is an unknown model, as in Ollama's generate and embed. */
export function toModelInput(
  { model = '', options = {}, keep_alive }: ModelFields,
  { emptyIsUnknown = false }: { readonly emptyIsUnknown?: boolean } = {},
): ModelInput {
  if (emptyIsUnknown && model.trim() === '') throw new HearthError('model_not_found', "model '' not found");
  return {
    model: parseRequestedModel(model),
    options: parseOptions(options),
    keepAlive: keep_alive === undefined ? undefined : parseKeepAlive(keep_alive),
  };
}

/** Tools of kinds that only other servers have, as names of fields without effect. */
export function toolsWithoutFunction(
  tools: readonly { readonly type?: string; readonly function?: object }[] = [],
): string[] {
  return toolTypes(tools.filter((tool) => tool.function === undefined).map(({ type = 'unknown' }) => type));
}

export function toolTypes(types: readonly string[]): string[] {
  return types.map((type) => `tools.${type}`);
}

/** The options in the fields of a request, with those in its `options`, which do not count as much. */
export function readOptionFields(body: Pick<ModelFields, 'options'>): Record<string, unknown> {
  const fields = body as Readonly<Record<string, unknown>>;
  const options: Record<string, unknown> = { ...body.options };
  for (const [alias, name] of Object.entries(optionAliases))
    if (fields[alias] !== undefined) options[name] = fields[alias];
  for (const name of topLevelOptions) if (fields[name] !== undefined) options[name] = fields[name];
  return options;
}

/** The text of a prediction, whose content is a string or an array of text parts. */
export function readPrediction(given: { readonly content: unknown } | undefined): string | undefined {
  if (given === undefined) return undefined;
  const { content } = given;
  if (typeof content === 'string') return content;
  const isText = (part: unknown): part is { readonly text: string } =>
    typeof part === 'object' && part !== null && 'text' in part && typeof part.text === 'string';
  if (Array.isArray(content) && content.every(isText)) return content.map(({ text }) => text).join('');
  throw invalid('prediction.content', 'expected a string or an array of text parts');
}

// `chat_template_kwargs`: variables of the chat template. Some of them mean `think`.

const limits = { names: 64, values: 10_000, characters: 65_536, depth: 16 };

// What the server itself tells templates.
const ownNames: ReadonlySet<string> = new Set(['messages', 'tools', 'add_generation_prompt', 'bos_token', 'eos_token']);
const namePattern = /^[A-Za-z]\w{0,63}$/;
const field = 'chat_template_kwargs';

type TemplateOptions = Pick<GenerationOptions, 'templateVariables' | 'think' | 'thinkIfAble'>;

/** `think`: what another field of the request asks for, which counts more. */
export function toTemplateOptions(given: unknown, think: ThinkOption | undefined): TemplateOptions {
  if (given === undefined) return { think };
  const variables = objectOf(given, field);
  checkVariables(variables);
  if (think !== undefined) return { templateVariables: variables, think };
  // A template may have these variables although nothing else shows that the model can think.
  return { templateVariables: variables, think: thinkOf(variables), thinkIfAble: true };
}

function thinkOf({ enable_thinking, thinking, reasoning_effort: effort }: Fields): ThinkOption | undefined {
  const enabled = enable_thinking ?? thinking;
  if (enabled === false || effort === 'none') return false;
  if (isThinkLevel(effort)) return effort;
  return typeof enabled === 'boolean' ? enabled : undefined;
}

function checkVariables(variables: Fields): void {
  const names = Object.keys(variables);
  if (names.length > limits.names) throw invalid(field, `there are more than ${limits.names} names`);
  for (const name of names) {
    if (!namePattern.test(name)) throw invalid(field, `"${name.slice(0, 64)}" is not a name`);
    if (ownNames.has(name)) throw invalid(field, `"${name}" is set by the server`);
  }
  checkSize(variables);
}

function checkSize(variables: Fields): void {
  const pending: [unknown, number][] = [[variables, 0]];
  let values = 0;
  let characters = 0;
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const [value, depth] = next;
    if (typeof value === 'string') characters += value.length;
    const members = membersOf(value);
    // Before anything is done for each member. A value counts twice: here, and as a member.
    values += 1 + members.count;
    if (depth > limits.depth || values > 2 * limits.values || characters > limits.characters)
      throw invalid(field, 'the values are too large or nested too deeply');
    for (const name of members.names) characters += name.length;
    for (const member of members.values()) pending.push([member, depth + 1]);
  }
}

interface Members {
  readonly count: number;
  readonly names: readonly string[];
  values(): readonly unknown[];
}

function membersOf(value: unknown): Members {
  if (Array.isArray(value)) return { count: value.length, names: [], values: () => value };
  const names = typeof value === 'object' && value !== null ? Object.keys(value) : [];
  return { count: names.length, names, values: () => (names.length === 0 ? [] : Object.values(value as object)) };
}

// The arguments of tool calls in a conversation: an object, or its JSON text. The values in the texts are not counted when
// the body is, and count here.

/** Returns undefined for anything else than an object. */
export type ReadArguments = (given: unknown) => Record<string, unknown> | undefined;

// All texts of a request together. Reading this many takes about 20 milliseconds.
const maxCharacters = 8 * 2 ** 20;
const maxArgumentValues = 50_000;

/** For the calls of one request. */
export function createReadArguments(): ReadArguments {
  const scanner = new JsonScanner({ maxValues: maxArgumentValues });
  let characters = 0;

  const parse = (text: string): unknown => {
    characters += text.length;
    if (characters > maxCharacters)
      throw new HearthError('body_too_large', `tool calls have more than ${maxCharacters} characters of arguments`);
    scanner.addText(text);
    return parseJson(text);
  };

  return (given) => {
    const value = typeof given === 'string' ? parse(given) : given;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    return value as Record<string, unknown>;
  };
}

// At this bias a token is certain or impossible.
const maxBias = 100;

/** Pairs of a token and its bias. */
export function readBias(given: Readonly<Record<string, number>>): (readonly [number, number])[] {
  return Object.entries(given).map(([name, bias]) => {
    if (!/^\d{1,9}$/.test(name))
      throw new HearthError('bad_request', `logit_bias: "${name.slice(0, 50)}" is not a token id`);
    if (Math.abs(bias) > maxBias)
      throw new HearthError('bad_request', `logit_bias: ${bias} is not between -${maxBias} and ${maxBias}`);
    return [Number(name), bias] as const;
  });
}
