// The grammar of a required tool call: the text that the model's template writes before a call, followed by a call.

import type { Effort } from '../../../base/effort.ts';
import { HearthError } from '../../../base/errors.ts';
import type { CallSyntax } from '../../../formats/chat/tool-calls/call-syntax.ts';
import { schemaToGrammar } from '../../../formats/grammar/schema.ts';

export interface RequiredCall {
  readonly tools: readonly CallableTool[];
  readonly syntax: CallSyntax;
}

export interface CallableTool {
  readonly name: string;
  /** A JSON schema, as the caller wrote it. */
  readonly parameters: unknown;
}

export function requiredCallGrammar({ tools, syntax }: RequiredCall, effort: Effort): string {
  const schema = { anyOf: tools.map((tool, index) => callSchema({ tool, syntax, path: `#/anyOf/${index}`, effort })) };
  return schemaToGrammar(schema, { before: openingOf(syntax), effort });
}

interface CallRequest {
  readonly tool: CallableTool;
  readonly syntax: CallSyntax;
  /** The location of the call's schema, for references inside the tool's schema. */
  readonly path: string;
  readonly effort: Effort;
}

function callSchema({ tool, syntax: { nameKey, argumentsKey }, path, effort }: CallRequest): object {
  const schemaOf = (parameters: unknown): object => ({
    type: 'object',
    properties: { [nameKey]: { const: tool.name }, [argumentsKey]: parameters },
    required: [nameKey, argumentsKey],
    additionalProperties: false,
  });
  const at = (root: string): object =>
    schemaOf(moveReferences(tool.parameters, `${root}/properties/${escapePointer(argumentsKey)}`));
  try {
    schemaToGrammar(at('#'), { effort });
    return at(path);
  } catch (error) {
    if (!(error instanceof HearthError) || error.code !== 'bad_request') throw error;
    // The model still sees a schema that cannot become a grammar. Then any object is accepted.
    return schemaOf(anyArguments);
  }
}

export const anyArguments = { type: 'object' } as const;

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

const bracketOrSpace = /[{["'\s]/;

/** The tag without the brackets of the call. */
function openingOf({ tag }: CallSyntax): string {
  const trimmed = tag.trim();
  let end = trimmed.length;
  while (end > 0 && bracketOrSpace.test(trimmed[end - 1] as string)) end--;
  const text = trimmed.slice(0, end);
  return text.startsWith('<') && text.endsWith('>') ? `${text}\n` : text;
}
