// What `format` asks for, as the grammar that the answer then follows.

import { HearthError } from '../../../base/errors.ts';
import { jsonObjectGrammar } from '../../../formats/grammar/json.ts';
import { rawToGrammar } from '../../../formats/grammar/raw-grammar.ts';
import { schemaToGrammar } from '../../../formats/grammar/schema.ts';

// Programs send the same schema with every request, and a large one takes a while to turn into a grammar.
const known = new Map<string, string>();
const maxKnown = 64;

function grammarOf(format: object): string {
  const text = JSON.stringify(format);
  const grammar = known.get(text) ?? toGrammar(format);
  known.delete(text);
  known.set(text, grammar);
  const [oldest] = known.keys();
  if (known.size > maxKnown && oldest !== undefined) known.delete(oldest);
  return grammar;
}

// No type of JSON schema is called gbnf: a schema is never taken for a grammar.
function toGrammar(format: { readonly type?: unknown; readonly grammar?: unknown }): string {
  if (format.type !== 'gbnf') return schemaToGrammar(format);
  if (typeof format.grammar === 'string') return rawToGrammar(format.grammar);
  throw new HearthError('bad_request', 'format: the grammar is a text in the field "grammar"');
}

/** Undefined: the answer is free. */
export function formatToGrammar(format: unknown): string | undefined {
  if (format === undefined || format === null || format === '') return undefined;
  if (format === 'json') return jsonObjectGrammar;
  if (typeof format === 'object' && !Array.isArray(format)) return grammarOf(format);
  const shown = JSON.stringify(format).slice(0, 100);
  throw new HearthError('bad_request', `invalid format: ${shown}; expected "json" or a valid JSON Schema object`);
}
