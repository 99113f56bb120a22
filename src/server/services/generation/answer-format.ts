// The `format` of a request.

import { HearthError } from '../../../base/errors.ts';
import type { Logger } from '../../../base/logger.ts';
import { findUnenforced } from '../../../formats/grammar/find-unenforced.ts';
import type { RequestedModel } from '../../../models/requested-model.ts';
import type { AnswerEvent } from './answer.ts';

export type AnswerFormat =
  | { readonly type: 'json' }
  | { readonly type: 'schema'; readonly schema: object }
  | { readonly type: 'gbnf'; readonly grammar: string };

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

/** Logs and returns the keywords that the answer may not satisfy. The format was converted before. */
export function reportUnenforced(
  { format, model }: { readonly format: AnswerFormat | undefined; readonly model: RequestedModel },
  logger: Logger,
): readonly string[] {
  const unenforced = format?.type === 'schema' ? findUnenforced(format.schema) : [];
  if (unenforced.length > 0)
    logger.warn('keywords of a schema are not enforced', { model: model.text, keywords: unenforced.join(' ') });
  return unenforced;
}

/** Adds them to the start of an answer. */
export async function* withUnenforced(
  events: AsyncIterable<AnswerEvent>,
  unenforced: readonly string[],
): AsyncGenerator<AnswerEvent> {
  for await (const event of events)
    yield event.type === 'started' && unenforced.length > 0 ? { ...event, unenforced } : event;
}
