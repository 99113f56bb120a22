// Which tools a model is offered, and how it is made to call one. Offering is a matter of the prompt; a call that must
// come is a grammar that has no other way: what the model's template writes before a call, and then the call itself.

import { HearthError } from '../../../base/errors.ts';
import type { Tool } from '../../../formats/chat/message.ts';
import type { ToolFormat } from '../../../formats/chat/tool-calls/tool-format.ts';
import { schemaToGrammar } from '../../../formats/grammar/schema.ts';

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
  const schema = { anyOf: tools.map((tool, index) => callSchema(tool, format, `#/anyOf/${index}`)) };
  return schemaToGrammar(schema, { before });
}

/** `place`: where the schema of the call will stand, for references inside the tool's own. */
function callSchema(tool: Tool, { nameKey, argumentsKey }: ToolFormat, place: string): object {
  const schemaOf = (parameters: unknown): object => ({
    type: 'object',
    properties: { [nameKey]: { const: tool.name }, [argumentsKey]: parameters },
    required: [nameKey, argumentsKey],
    additionalProperties: false,
  });
  const at = (root: string): object =>
    schemaOf(moveReferences(tool.parameters, `${root}/properties/${escapePointer(argumentsKey)}`));
  try {
    schemaToGrammar(at('#'));
    return at(place);
  } catch (error) {
    if (!(error instanceof HearthError) || error.code !== 'bad_request') throw error;
    // A schema that no grammar can follow is shown to the model all the same; then any object will do.
    return schemaOf({ type: 'object' });
  }
}

/** References in a schema that now stands somewhere inside another one. */
function moveReferences(value: unknown, root: string): unknown {
  if (Array.isArray(value)) return value.map((item) => moveReferences(item, root));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      key === '$ref' && typeof item === 'string' && item.startsWith('#')
        ? root + item.slice(1)
        : moveReferences(item, root),
    ]),
  );
}

function escapePointer(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** The tag without the brackets of the call itself. */
function openingOf({ tag }: ToolFormat): string {
  const text = tag.trim().replace(/[{["'\s]+$/, '');
  return text.startsWith('<') && text.endsWith('>') ? `${text}\n` : text;
}
