// Stored conversations on the wire.

import { Type } from 'typebox';
import { timestampField } from '../../server/dialects/shared/common-fields-schema.ts';
import type { Wire } from '../../server/dialects/shared/wire-schema.ts';

const idField = Type.String({ description: '8 to 64 lowercase letters, digits, hyphens or underscores.' });
const maxMessageId = 64;

const titleField = Type.String({ maxLength: 200 });
const placeFields = {
  pinned: Type.Optional(Type.Boolean()),
  folder: Type.Optional(Type.String({ maxLength: 100, description: 'Absent or empty: none.' })),
};

const Message = Type.Object(
  {
    id: Type.String({ minLength: 1, maxLength: maxMessageId, description: 'Unique in the conversation.' }),
    parent: Type.Optional(
      Type.Union([Type.String({ maxLength: maxMessageId }), Type.Null()], {
        description:
          'The id of the message that this one follows, which is before it in the list. Null: there is none.',
      }),
    ),
    role: Type.String({ maxLength: 32 }),
    content: Type.Optional(Type.String()),
    thinking: Type.Optional(Type.String()),
    images: Type.Optional(Type.Array(Type.String(), { description: 'In base64.' })),
    tool_calls: Type.Optional(Type.Array(Type.Unknown())),
    stats: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), { description: 'The statistics of the last object of an answer.' }),
    ),
  },
  { description: 'Other fields are kept, too.' },
);

/** What the client chooses. */
const contentFields = {
  title: Type.Optional(titleField),
  model: Type.Optional(Type.String({ maxLength: 300 })),
  system: Type.Optional(Type.String()),
  options: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  format: Type.Optional(Type.Unknown({ description: 'As in /api/chat.' })),
  messages: Type.Optional(
    Type.Array(Message, { maxItems: 20_000, description: 'A tree: several messages can have the same parent.' }),
  ),
};

export const PutChatRequestBody = Type.Object(
  {
    id: Type.Optional(Type.String({ description: 'The id in the path.' })),
    ...contentFields,
    revision: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER - 1,
        description: 'Of the conversation that was changed. Absent or 0: it is new.',
      }),
    ),
  },
  {
    description:
      'Other fields are kept, too. `created_at`, `updated_at`, `pinned`, `folder` and `shared_link` are those of the server.',
  },
);
export type PutChatRequestBody = Wire<typeof PutChatRequestBody>;

export const ArrangeChatRequestBody = Type.Object(
  { title: Type.Optional(titleField), ...placeFields },
  { description: 'Fields that are absent do not change.' },
);
export type ArrangeChatRequestBody = Wire<typeof ArrangeChatRequestBody>;

const factFields = {
  created_at: timestampField,
  updated_at: timestampField,
  revision: Type.Integer(),
  ...placeFields,
};

const linkFields = {
  shared_link: Type.Optional(
    Type.String({ description: 'The link of GET /api/shared-chats/{link}. Absent: the conversation is not shared.' }),
  ),
};

export const ChatSummaryBody = Type.Object({
  id: idField,
  title: Type.String(),
  model: Type.String(),
  message_count: Type.Integer(),
  ...factFields,
  ...linkFields,
  snippet: Type.Optional(Type.String({ description: 'With q: the text around the first place in a message.' })),
});
export type ChatSummaryBody = Wire<typeof ChatSummaryBody>;

export const ChatsResponseBody = Type.Object({
  chats: Type.Array(ChatSummaryBody, { description: 'The last changed first.' }),
  complete: Type.Boolean({ description: 'False: the search took too long, and older conversations are missing.' }),
});
export type ChatsResponseBody = Wire<typeof ChatsResponseBody>;

const ExportedChatBody = Type.Object({ id: idField, ...contentFields, ...factFields });
export type ExportedChatBody = Wire<typeof ExportedChatBody>;

export const StoredChatBody = Type.Object({ id: idField, ...contentFields, ...factFields, ...linkFields });
export type StoredChatBody = Wire<typeof StoredChatBody>;

export const DeleteChatResponseBody = Type.Object({ status: Type.Literal('success') });
export type DeleteChatResponseBody = Wire<typeof DeleteChatResponseBody>;

export const ChatsExportBody = Type.Object({ version: Type.Literal(1), chats: Type.Array(ExportedChatBody) });

/** One conversation of an import. */
export const ImportedChatBody = Type.Object({
  id: Type.String(),
  ...contentFields,
  ...placeFields,
  created_at: Type.Optional(Type.String()),
  updated_at: Type.Optional(Type.String()),
});
export type ImportedChatBody = Wire<typeof ImportedChatBody>;

export const ImportResponseBody = Type.Object({
  imported: Type.Integer(),
  existing: Type.Integer({ description: 'Conversations whose id is stored already. They were not changed.' }),
  failed: Type.Integer(),
  errors: Type.Array(
    Type.Object({
      index: Type.Integer({ description: 'In the list of the request.' }),
      error: Type.String(),
      code: Type.String(),
    }),
    { description: 'Why the first of those failed.' },
  ),
});
export type ImportResponseBody = Wire<typeof ImportResponseBody>;
