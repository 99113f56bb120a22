// Which tools a model is offered, and how it is made to call one. Offering is a matter of the prompt; a call that must
// come is a grammar that has no other way: what the model's template writes before a call, and then the call itself.

import type { Tool } from '../chat/message.ts';
import type { ToolFormat } from '../chat/tool-calls/tool-format.ts';
import { schemaToGrammar } from '../grammar/schema.ts';
import { HearthError } from '../kernel/errors.ts';

export type ToolChoice = 'none' | 'auto' | 'required' | { readonly name: string };

/** The tools that the prompt speaks of. A tool that must be called is shown alone. */
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

/** Undefined: the model decides for itself. */
export function callGrammar(tools: readonly Tool[], choice: ToolChoice, format: ToolFormat): string | undefined {
  if (choice === 'none' || choice === 'auto') return undefined;
  const before = openingOf(format);
  try {
    return schemaToGrammar(
      callSchema(tools, format, ({ parameters }) => parameters),
      { before },
    );
  } catch (error) {
    if (!(error instanceof HearthError) || error.code !== 'bad_request') throw error;
    // A schema that no grammar can follow is shown to the model all the same; then any object will do.
    return schemaToGrammar(
      callSchema(tools, format, () => ({ type: 'object' })),
      { before },
    );
  }
}

function callSchema(
  tools: readonly Tool[],
  { nameKey, argumentsKey }: ToolFormat,
  parametersOf: (tool: Tool) => unknown,
): object {
  return {
    anyOf: tools.map((tool) => ({
      type: 'object',
      properties: { [nameKey]: { const: tool.name }, [argumentsKey]: parametersOf(tool) },
      required: [nameKey, argumentsKey],
      additionalProperties: false,
    })),
  };
}

/** The tag without the brackets of the call itself. */
function openingOf({ tag }: ToolFormat): string {
  const text = tag.trim().replace(/[{["'\s]+$/, '');
  return text.startsWith('<') && text.endsWith('>') ? `${text}\n` : text;
}
