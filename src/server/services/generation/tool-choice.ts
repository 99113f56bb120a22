// Applies `tool_choice`: selects the tools in the prompt, and builds a grammar for a required call. The grammar accepts
// only the text that the model's template writes before a call, followed by a call.

import { HearthError } from '../../../base/errors.ts';
import type { Tool } from '../../../formats/chat/message.ts';
import type { CallSyntax } from '../../../formats/chat/tool-calls/call-syntax.ts';
import { schemaToGrammar } from '../../../formats/grammar/schema.ts';

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
export function toolChoiceGrammar(tools: readonly Tool[], choice: ToolChoice, syntax: CallSyntax): string | undefined {
  if (choice === 'none' || choice === 'auto') return undefined;
  const before = openingOf(syntax);
  const schema = { anyOf: tools.map((tool, index) => callSchema(tool, syntax, `#/anyOf/${index}`)) };
  return schemaToGrammar(schema, { before });
}

/** `path` is the location of the call's schema, for references inside the tool's schema. */
function callSchema(tool: Tool, { nameKey, argumentsKey }: CallSyntax, path: string): object {
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
    return at(path);
  } catch (error) {
    if (!(error instanceof HearthError) || error.code !== 'bad_request') throw error;
    // The model still sees a schema that cannot become a grammar. Then any object is accepted.
    return schemaOf({ type: 'object' });
  }
}

/** Adjusts the references of a schema that became part of another one. */
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

/** The tag without the brackets of the call. */
function openingOf({ tag }: CallSyntax): string {
  const text = tag.trim().replace(/[{["'\s]+$/, '');
  return text.startsWith('<') && text.endsWith('>') ? `${text}\n` : text;
}
