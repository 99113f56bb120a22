// What `format` asks for, as the grammar that the answer then follows.

import { jsonObjectGrammar } from '../grammar/json.ts';
import { schemaToGrammar } from '../grammar/schema.ts';
import { HearthError } from '../kernel/errors.ts';

/** Undefined: the answer is free. */
export function formatToGrammar(format: unknown): string | undefined {
  if (format === undefined || format === null || format === '') return undefined;
  if (format === 'json') return jsonObjectGrammar;
  if (typeof format === 'object' && !Array.isArray(format)) return schemaToGrammar(format);
  const shown = JSON.stringify(format).slice(0, 100);
  throw new HearthError('bad_request', `invalid format: ${shown}; expected "json" or a valid JSON Schema object`);
}
