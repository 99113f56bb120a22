// Converts the format of an answer to a grammar, and notes what the grammar does not enforce.

import type { Logger } from '../../../base/logger.ts';
import type { RequestedModel } from '../../../models/requested-model.ts';
import type { StartNotes } from './answer.ts';
import type { AnswerFormat } from './answer-format.ts';
import type { Grammars } from './grammars.ts';

/** Converts the format, and logs the keywords that the answer may not satisfy. */
export async function convertFormat(
  { format, model }: { readonly format: AnswerFormat | undefined; readonly model: RequestedModel },
  { grammars, logger }: { readonly grammars: Grammars; readonly logger: Logger },
): Promise<{ readonly grammar: string | undefined; readonly notes: Pick<StartNotes, 'unenforced'> }> {
  const { grammar, unenforced } = (await grammars.ofFormat(format)) ?? { grammar: undefined, unenforced: [] };
  if (unenforced.length > 0)
    logger.warn('keywords of a schema are not enforced', { model: model.text, keywords: unenforced.join(' ') });
  return { grammar, notes: unenforced.length > 0 ? { unenforced } : {} };
}
