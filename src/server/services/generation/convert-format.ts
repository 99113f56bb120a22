// Converts the format of an answer to a grammar, and tells the caller what the grammar does not enforce.

import type { Logger } from '../../../base/logger.ts';
import type { RequestedModel } from '../../../models/requested-model.ts';
import type { AnswerEvent } from './answer.ts';
import type { AnswerFormat } from './answer-format.ts';
import type { Grammars } from './grammars.ts';

/** Converts the format, and logs the keywords that the answer may not satisfy. */
export async function convertFormat(
  { format, model }: { readonly format: AnswerFormat | undefined; readonly model: RequestedModel },
  { grammars, logger }: { readonly grammars: Grammars; readonly logger: Logger },
): Promise<{ readonly grammar: string | undefined; readonly unenforced: readonly string[] }> {
  const { grammar, unenforced } = (await grammars.ofFormat(format)) ?? { grammar: undefined, unenforced: [] };
  if (unenforced.length > 0)
    logger.warn('keywords of a schema are not enforced', { model: model.text, keywords: unenforced.join(' ') });
  return { grammar, unenforced };
}

/** Adds them to the start of an answer. */
export async function* withUnenforced(
  events: AsyncIterable<AnswerEvent>,
  unenforced: readonly string[],
): AsyncGenerator<AnswerEvent> {
  for await (const event of events)
    yield event.type === 'started' && unenforced.length > 0 ? { ...event, unenforced } : event;
}
