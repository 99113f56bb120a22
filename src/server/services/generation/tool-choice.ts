// Applies `tool_choice`: selects the tools in the prompt, and the call that a grammar must require.

import { HearthError } from '../../../base/errors.ts';
import type { Tool } from '../../../formats/chat/message.ts';
import type { CallSyntax } from '../../../formats/chat/tool-calls/call-syntax.ts';
import { checkDocument } from '../../../formats/grammar/schema/json-value.ts';
import { anyArguments, type RequiredCall } from '../compute/required-call.ts';

export type ToolChoice = 'none' | 'auto' | 'required' | { readonly name: string };

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

/** Undefined: the model decides whether to call a tool. */
export function requiredCallOf(
  tools: readonly Tool[],
  choice: ToolChoice,
  syntax: CallSyntax,
): RequiredCall | undefined {
  if (choice === 'none' || choice === 'auto') return undefined;
  return { tools: tools.map(({ name, parameters }) => ({ name, parameters: withinLimits(parameters) })), syntax };
}

/** A schema that is too large for a grammar is not copied and compared first. */
function withinLimits(parameters: unknown): unknown {
  try {
    checkDocument(parameters);
    return parameters;
  } catch {
    return anyArguments;
  }
}
