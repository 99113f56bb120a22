// A passage of a document in the words of the wire.

import type { FoundPassage } from '../../services/documents/passage-search.ts';
import type { PassageBody } from './passage-body-schema.ts';

export function toPassageBody(passage: FoundPassage): PassageBody {
  const { text, score, collection, fileId, fileName, page, start, end } = passage;
  return { text, score, collection, file_id: fileId, file_name: fileName, page, start, end };
}
