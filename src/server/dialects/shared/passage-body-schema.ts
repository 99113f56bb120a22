// A passage of a document on the wire.

import { Type } from 'typebox';
import type { Wire } from './wire-schema.ts';

export const PassageBody = Type.Object({
  text: Type.String(),
  score: Type.Number({
    description: 'From 0 to 1: of the reranker, or by ranks, where 1 is the first in all rankings.',
  }),
  collection: Type.String({ description: 'The id of the collection.' }),
  file_id: Type.String(),
  file_name: Type.String(),
  page: Type.Optional(Type.Integer({ description: 'The page of a PDF.' })),
  start: Type.Integer({ description: 'Where the passage begins in the text of its page or file.' }),
  end: Type.Integer(),
});
export type PassageBody = Wire<typeof PassageBody>;
