// `chat_template_kwargs`: variables of the chat template. Some of them mean `think`.

import type { GenerationOptions } from '../../../inference/model/conversation.ts';
import { isThinkLevel, type ThinkOption } from '../../../models/think.ts';
import { type Fields, invalid, objectOf } from './read-fields.ts';

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
    values++;
    if (typeof value === 'string') characters += value.length;
    const members = typeof value === 'object' && value !== null ? Object.entries(value) : [];
    for (const [name, member] of members) {
      characters += name.length;
      pending.push([member, depth + 1]);
    }
    if (depth > limits.depth || values > limits.values || characters > limits.characters)
      throw invalid(field, 'the values are too large or nested too deeply');
  }
}
