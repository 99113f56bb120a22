// Applies `tool_choice`: selects the tools in the prompt, and holds the calls of the answer by a grammar. A required call is
// held from the start of the answer, any other call from the text on that begins it.

import { HearthError } from '../../../base/errors.ts';
import type { PromptTemplate } from '../../../formats/chat/prompt-template.ts';
import type { CallLayout } from '../../../formats/chat/tool-calls/call-syntax.ts';
import { checkDocument } from '../../../formats/grammar/schema/json-value.ts';
import type { GenerateRequest } from '../../engine/ports.ts';
import type { Tool, ToolChoice } from '../../model/conversation.ts';
import type { Grammars } from './grammars.ts';

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
  const { triggers } = layout;
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
