// The `format` of a request.

import { HearthError } from '../../base/errors.ts';

export type AnswerFormat =
  | { readonly type: 'json' }
  | { readonly type: 'schema'; readonly schema: object }
  | { readonly type: 'gbnf'; readonly grammar: string }
  /** A regular expression that matches the entire answer. */
  | { readonly type: 'pattern'; readonly pattern: string }
  /** Free text with tags, in the notation of xgrammar. */
  | { readonly type: 'structure'; readonly tag: object }
  | { readonly type: 'choice'; readonly choices: readonly string[] };

/** Undefined: the answer is not constrained. Throws `bad_request` for a value that is not a format. */
export function parseAnswerFormat(format: unknown): AnswerFormat | undefined {
  if (format === undefined || format === null || format === '') return undefined;
  if (format === 'json') return { type: 'json' };
  if (typeof format === 'object' && !Array.isArray(format)) return parseObject(format);
  const excerpt = JSON.stringify(format).slice(0, 100);
  throw new HearthError('bad_request', `invalid format: ${excerpt}; expected "json" or a valid JSON Schema object`);
}

// No JSON Schema type is called gbnf, so a schema is never mistaken for a grammar. {} means an object, as in Ollama.
function parseObject(format: { readonly type?: unknown; readonly grammar?: unknown }): AnswerFormat {
  if (Object.keys(format).length === 0) return { type: 'json' };
  if (format.type !== 'gbnf') return { type: 'schema', schema: format };
  if (typeof format.grammar === 'string') return { type: 'gbnf', grammar: format.grammar };
  throw new HearthError('bad_request', 'format: the field "grammar" must be a string');
}
