// Shared conversations on the wire: what their readers get.

import { Type } from 'typebox';
import { timestampField } from '../../server/dialects/shared/common-fields-schema.ts';
import type { Wire } from '../../server/dialects/shared/wire-schema.ts';

export const ShareChatResponseBody = Type.Object({
  shared_link: Type.String({ description: '40 hexadecimal digits, for GET /api/shared-chats/{link}.' }),
});
export type ShareChatResponseBody = Wire<typeof ShareChatResponseBody>;

const SharedMessageBody = Type.Object({
  role: Type.Union([Type.Literal('user'), Type.Literal('assistant')]),
  content: Type.String(),
  images: Type.Optional(Type.Array(Type.String(), { description: 'In base64.' })),
  files: Type.Optional(
    Type.Array(Type.Object({ name: Type.String(), text: Type.String(), pages: Type.Optional(Type.Integer()) })),
  ),
  model: Type.Optional(Type.String({ description: 'The model that answered.' })),
  mcp_calls: Type.Optional(
    Type.Array(
      Type.Object({
        at: Type.Integer({ description: 'The number of characters of the message before the call.' }),
        server: Type.String(),
        tool: Type.String(),
        is_error: Type.Optional(Type.Boolean()),
      }),
      { description: 'The tools that the server ran, without arguments and results.' },
    ),
  ),
});
export type SharedMessageBody = Wire<typeof SharedMessageBody>;

export const SharedChatBody = Type.Object({
  title: Type.String(),
  author: Type.Optional(Type.String({ description: 'The name of the key or user who shared it.' })),
  updated_at: timestampField,
  messages: Type.Array(SharedMessageBody, { description: 'Of the branch that its author sees, in order.' }),
});
export type SharedChatBody = Wire<typeof SharedChatBody>;

export const ShareInFolderRequestBody = Type.Object({
  folder: Type.String({ maxLength: 100, description: 'The name of the shared folder. Empty: none.' }),
});
export type ShareInFolderRequestBody = Wire<typeof ShareInFolderRequestBody>;

const listedFields = {
  shared_link: Type.String({ description: 'The link of GET /api/shared-chats/{link}.' }),
  title: Type.String(),
  author: Type.Optional(Type.String({ description: 'The name of the key or user who shared it.' })),
  folder: Type.Optional(Type.String({ description: 'The shared folder.' })),
  updated_at: timestampField,
};

export const SharedChatsResponseBody = Type.Object({
  chats: Type.Array(Type.Object(listedFields), { description: 'By folder, the last changed first; at most 1,000.' }),
});
export type SharedChatsResponseBody = Wire<typeof SharedChatsResponseBody>;

const SharedLinkBody = Type.Object({
  ...listedFields,
  state: Type.Union([Type.Literal('active'), Type.Literal('suspended')], {
    description: 'Suspended: the author has no access any more, and the link does not work.',
  }),
});
export type SharedLinkBody = Wire<typeof SharedLinkBody>;

export const ChatLinksResponseBody = Type.Object({
  links: Type.Array(SharedLinkBody),
  next: Type.Optional(Type.String({ description: 'The value of after for the next links. Absent: there are none.' })),
});
export type ChatLinksResponseBody = Wire<typeof ChatLinksResponseBody>;
