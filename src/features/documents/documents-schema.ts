// /api/documents/text on the wire.

import { Type } from 'typebox';
import type { Wire } from '../../server/dialects/shared/wire-schema.ts';

export const DocumentTextResponseBody = Type.Object({
  type: Type.Enum(['pdf', 'docx', 'html', 'text']),
  pages: Type.Integer({ description: 'The number of pages; 1 for a document without pages.' }),
  characters: Type.Integer(),
  text: Type.String({ description: 'The pages of a document with several begin with a line such as [Page 2].' }),
});
export type DocumentTextResponseBody = Wire<typeof DocumentTextResponseBody>;
