// Presets and prompts of a user on the wire.

import { Type } from 'typebox';
import type { Wire } from '../../server/dialects/shared/wire-schema.ts';

const maxEntries = 500;
const idField = Type.String({ minLength: 1, maxLength: 64, description: 'Unique in its list.' });
const nameField = Type.String({ minLength: 1, maxLength: 100 });

const Preset = Type.Object(
  {
    id: idField,
    name: nameField,
    model: Type.Optional(Type.String({ maxLength: 300 })),
    system: Type.Optional(Type.String()),
    options: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    format: Type.Optional(Type.Unknown({ description: 'As in /api/chat.' })),
    think: Type.Optional(Type.Boolean()),
  },
  { description: 'What a new conversation begins with.' },
);

const Prompt = Type.Object(
  { id: idField, name: nameField, text: Type.String() },
  { description: 'A text that can be inserted into a message.' },
);

const lists = {
  presets: Type.Array(Preset, { maxItems: maxEntries }),
  prompts: Type.Array(Prompt, { maxItems: maxEntries }),
};

export const PutLibraryRequestBody = Type.Object({
  ...lists,
  revision: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER - 1,
      description: 'Of the library that was changed. Absent or 0: there was none.',
    }),
  ),
});
export type PutLibraryRequestBody = Wire<typeof PutLibraryRequestBody>;

export const StoredLibraryBody = Type.Object({
  revision: Type.Integer({ description: '0: nothing has been stored.' }),
});
export type StoredLibraryBody = Wire<typeof StoredLibraryBody>;

export const LibraryResponseBody = Type.Object({ ...lists, ...StoredLibraryBody.properties });
export type LibraryResponseBody = Wire<typeof LibraryResponseBody>;
