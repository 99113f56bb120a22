// Work that a caller can make long: converting schemas and grammars, and running Go templates. A task is a function of
// plain data and counts its steps, so that it can run in the server's thread up to a limit, or in another thread.

import { type Effort, unlimitedEffort } from '../../base/effort.ts';
import { createLruCache } from '../../base/lru-cache.ts';
import { type CallRules, callsToGrammar } from '../../formats/chat/call-grammar/calls-to-grammar.ts';
import { type TemplateTraits, traitsOf } from '../../formats/chat/prompt-template.ts';
import {
  type Insertion,
  type PromptConversation,
  renderInsertion,
  renderMessages,
} from '../../formats/chat/render-prompt.ts';
import { parseTemplate, type Template } from '../../formats/go-template/template.ts';
import type { SchemaCheck } from '../../formats/grammar/find-violations.ts';
import { rawToGrammar } from '../../formats/grammar/raw-grammar.ts';
import { convertSchema, type SchemaGrammar } from '../../formats/grammar/schema.ts';
import { structureToGrammar } from '../../formats/grammar/structural-tag.ts';
import { type TextRule, textToGrammar } from '../../formats/grammar/text-grammar.ts';

interface WithSource {
  /** A Go template. */
  readonly source: string;
}

// Parsed templates; each thread has its own.
const maxTemplates = 64;
// A template visits a message at least this often.
const stepsPerMessage = 10;
// Functions of templates can escape texts, which takes longer than to copy them.
const charactersPerStep = 8;

const stepsForData = (data: unknown): number => Math.floor(measureJson(data) / charactersPerStep);

export type Tasks = ReturnType<typeof createTasks>;
export type TaskName = keyof Tasks;
export type TaskInput<Name extends TaskName> = Parameters<Tasks[Name]>[0];
export type TaskResult<Name extends TaskName> = Awaited<ReturnType<Tasks[Name]>>;

export function createTasks() {
  const templates = createLruCache<Template>(maxTemplates);
  const parse = (source: string, effort: Effort): Template =>
    templates.getOrCreate(source, () => parseTemplate(source, effort));

  return {
    schemaToGrammar: (schema: object, effort = unlimitedEffort): SchemaGrammar => convertSchema(schema, { effort }),
    rawToGrammar: (grammar: string, effort = unlimitedEffort): string => rawToGrammar(grammar, effort),
    structureToGrammar: (tag: object, effort = unlimitedEffort): SchemaGrammar => structureToGrammar(tag, effort),
    textToGrammar: (text: TextRule, effort = unlimitedEffort): string => textToGrammar(text, effort),
    callsToGrammar: (rules: CallRules, effort = unlimitedEffort): string => callsToGrammar(rules, effort),
    checkAnswer(check: SchemaCheck, effort = unlimitedEffort): Promise<readonly string[] | undefined> {
      // Never in the server's thread, where the validator is not even loaded.
      effort.spend(Number.MAX_SAFE_INTEGER);
      return import('../../formats/grammar/find-violations.ts').then(({ findViolations }) => findViolations(check));
    },
    readTemplate: (source: string, effort = unlimitedEffort): TemplateTraits =>
      traitsOf(parse(source, effort), source, effort),
    renderInsertion({ source, ...insertion }: Insertion & WithSource, effort = unlimitedEffort): string {
      effort.spend(stepsForData(insertion));
      return renderInsertion(parse(source, effort), insertion, effort);
    },
    renderConversation({ source, ...conversation }: PromptConversation & WithSource, effort = unlimitedEffort): string {
      // Known before the template runs. Then the attempt in the server's thread costs nothing.
      effort.spend(conversation.messages.length * stepsPerMessage);
      effort.spend(stepsForData(conversation));
      return renderMessages(parse(source, effort), conversation, effort);
    },
  } satisfies Record<string, (input: never, effort?: Effort) => unknown>;
}

// The size of a JSON value, without writing it.

/** The characters of its strings and names, and some for each value. */
export function measureJson(value: unknown): number {
  let size = 0;
  const pending: unknown[] = [value];
  while (pending.length > 0) {
    const next = pending.pop();
    size += charactersPerValue;
    if (typeof next === 'string') size += next.length;
    if (typeof next !== 'object' || next === null) continue;
    for (const [name, member] of Object.entries(next)) {
      if (!Array.isArray(next)) size += name.length;
      pending.push(member);
    }
  }
  return size;
}

const charactersPerValue = 4;
