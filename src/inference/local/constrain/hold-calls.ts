// Applies `tool_choice`: selects the tools in the prompt, and holds the calls of the answer by a grammar. A required call is
// held from the start of the answer, any other call from the text on that begins it.

import { createDeferred } from '../../../base/deferred.ts';
import { digestOf } from '../../../base/digest.ts';
import { HearthError } from '../../../base/errors.ts';
import { createLruCache } from '../../../base/lru-cache.ts';
import type { CallRules } from '../../../formats/chat/call-grammar/calls-to-grammar.ts';
import { FunctionNames } from '../../../formats/chat/harmony/function-names.ts';
import type { PromptTemplate } from '../../../formats/chat/prompt-template.ts';
import type { CallLayout } from '../../../formats/chat/tool-calls/call-syntax.ts';
import type { SchemaCheck } from '../../../formats/grammar/find-violations.ts';
import { jsonObjectGrammar } from '../../../formats/grammar/gbnf/json.ts';
import { checkDocument } from '../../../formats/grammar/schema/json-value.ts';
import type { SchemaGrammar } from '../../../formats/grammar/schema.ts';
import type { Compute } from '../../compute/compute.ts';
import type { TaskInput, TaskResult } from '../../compute/tasks.ts';
import type { GenerateRequest } from '../../engine/ports.ts';
import type { AnswerFormat } from '../../model/answer-format.ts';
import type { Tool, ToolChoice } from '../../model/conversation.ts';

/** The tools in the prompt. A tool that must be called is the only one. */
export function offeredTools(tools: readonly Tool[], choice: ToolChoice): readonly Tool[] {
  if (choice === 'none') return [];
  if (choice === 'auto') return tools;
  const offered = choice === 'required' ? tools : tools.filter(({ name }) => name === choice.name);
  if (offered.length === 0)
    throw new HearthError(
      'bad_request',
      choice === 'required' ? 'tool_choice: there are no tools' : `tool_choice: there is no tool "${choice.name}"`,
    );
  return offered;
}

/** The tools under the names that the model knows. */
export function nameTools(
  tools: readonly Tool[],
  { hasChannels }: Pick<PromptTemplate, 'hasChannels'>,
): { readonly tools: readonly Tool[]; readonly names?: FunctionNames } {
  if (!hasChannels || tools.length === 0) return { tools };
  const names = new FunctionNames(tools.map(({ name }) => name));
  return { tools: tools.map((tool) => ({ ...tool, name: names.toModel(tool.name) })), names };
}

export interface HeldCalls {
  readonly tools: readonly Tool[];
  readonly choice: ToolChoice;
  /** Undefined: no grammar can hold the calls. */
  readonly layout: CallLayout | undefined;
  /** Whether an answer may have several calls. */
  readonly parallel: boolean;
}

type CallConstraint = Pick<GenerateRequest, 'grammar' | 'lazyGrammar'>;

/** Empty: calls are not held. They are found anyway. */
export async function holdCalls(
  grammars: Pick<Grammars, 'ofCalls'>,
  { tools, choice, layout, parallel }: HeldCalls,
): Promise<CallConstraint> {
  const isRequired = choice !== 'auto';
  if (tools.length === 0 || choice === 'none' || layout === undefined) return {};
  const { triggerAfterName: after } = layout;
  const named = after === undefined ? [] : tools.map(({ name }) => ({ text: `${name}${after}`, atStart: true }));
  const triggers = [...layout.triggers, ...named];
  if (!isRequired && triggers.length === 0) return {};
  const held = tools.map(({ name, parameters }) => ({ name, ...withinLimits(parameters) }));
  try {
    const grammar = await grammars.ofCalls({ tools: held, layout, parallel, fromStart: isRequired });
    return isRequired ? { grammar } : { lazyGrammar: { grammar, triggers } };
  } catch (error) {
    const isOptional = !isRequired && error instanceof HearthError && optionalErrors.has(error.code);
    if (isOptional) return {};
    throw error;
  }
}

// Tools that cannot become a grammar, or not in time.
const optionalErrors: ReadonlySet<string> = new Set(['bad_request', 'busy']);

/** A schema that is too large for a grammar is not copied and compared first. */
function withinLimits(parameters: unknown): { readonly parameters?: unknown } {
  if (parameters === undefined) return {};
  try {
    checkDocument(parameters);
    return { parameters };
  } catch {
    return { parameters: { type: 'object' } };
  }
}

// The grammar of an answer: from its format, or from the tools that it must or may call.
type Constraint = Pick<GenerateRequest, 'grammar' | 'lazyGrammar'>;

/** A required call is more important than a format, and a format than a call that the model may make. */
export function constrainAnswer(
  { hasChannels }: PromptTemplate,
  formatGrammar: string | undefined,
  held: CallConstraint = {},
): Constraint {
  if (held.grammar !== undefined || formatGrammar === undefined) return held;
  return hasChannels ? inLastChannel(formatGrammar) : { grammar: formatGrammar };
}

/** A grammar for the content of an answer in channels, as those of gpt-oss. */
function inLastChannel(grammar: string): Constraint {
  const triggers = [{ text: '<|channel|>final<|message|>', atStart: false }];
  return { lazyGrammar: { grammar, triggers, afterTrigger: true } };
}

// The grammars that constrain answers. They are cached: clients send the same schema with every request, and converting a
// large one takes time. So are refusals: a client that repeats a refused schema must not cause the same work again.

export interface Grammars {
  /** Undefined: the answer is not constrained. */
  ofFormat(format: AnswerFormat | undefined): Promise<SchemaGrammar | undefined>;
  ofCalls(rules: CallRules): Promise<string>;
  /** The keywords that a complete answer violates. Undefined: it is too large, or the check takes too long. */
  violationsOf(check: SchemaCheck): Promise<readonly string[] | undefined>;
}

type GrammarTask = 'schemaToGrammar' | 'structureToGrammar' | 'rawToGrammar' | 'textToGrammar' | 'callsToGrammar';

const maxCached = 64;
// Characters of an answer that is compared with its schema.
const maxChecked = 2 ** 18;
// Characters of a key. A digest stands for a longer one: its text would fill the memory.
const maxKey = 2 ** 14;

export function createGrammars(compute: Compute): Grammars {
  const cache = createLruCache<TaskResult<GrammarTask> | HearthError>(maxCached);
  /** The work that runs, by key. */
  const running = new Map<string, Promise<void>>();

  /** Requests with the same key wait until the work has ended. */
  async function computeAndCache<Name extends GrammarTask>(key: string, name: Name, input: TaskInput<Name>) {
    const ended = createDeferred<void>();
    running.set(key, ended.promise);
    try {
      const result = await resultOrRefusal(() => compute(name, input));
      cache.set(key, result);
      return result;
    } finally {
      running.delete(key);
      ended.resolve();
    }
  }

  async function computeOnce<Name extends GrammarTask>(name: Name, input: TaskInput<Name>): Promise<TaskResult<Name>> {
    const text = `${name} ${JSON.stringify(input)}`;
    const key = text.length > maxKey ? digestOf(text) : text;
    // If the other request ends without a result, this one computes it.
    while (running.has(key)) await running.get(key);
    const result = cache.get(key) ?? (await computeAndCache(key, name, input));
    if (result instanceof HearthError) throw new HearthError(result.code, result.message);
    return result as TaskResult<Name>;
  }

  return {
    async ofFormat(format) {
      switch (format?.type) {
        case undefined:
          return undefined;
        case 'json':
          return { grammar: jsonObjectGrammar, unenforced: [] };
        case 'gbnf':
          return { grammar: await computeOnce('rawToGrammar', format.grammar), unenforced: [] };
        case 'pattern':
          return { grammar: await computeOnce('textToGrammar', { pattern: format.pattern }), unenforced: [] };
        case 'choice':
          return { grammar: await computeOnce('textToGrammar', { choices: format.choices }), unenforced: [] };
        case 'structure':
          checkDocument(format.tag);
          return computeOnce('structureToGrammar', format.tag);
        case 'schema':
          // The text of a schema beyond the limits is not even needed.
          checkDocument(format.schema);
          return computeOnce('schemaToGrammar', format.schema);
      }
    },
    ofCalls: (rules) => computeOnce('callsToGrammar', rules),
    async violationsOf(check) {
      try {
        return check.answer.length > maxChecked ? undefined : await compute('checkAnswer', check);
      } catch (error) {
        if (error instanceof HearthError) return undefined;
        throw error;
      }
    },
  };
}

async function resultOrRefusal<Result>(work: () => Promise<Result>): Promise<Result | HearthError> {
  try {
    return await work();
  } catch (error) {
    // Other errors, for example that of a request that ended, say nothing about the schema.
    if (error instanceof HearthError && error.code === 'bad_request') return error;
    throw error;
  }
}
