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
});
export type SharedMessageBody = Wire<typeof SharedMessageBody>;

export const SharedChatBody = Type.Object({
  title: Type.String(),
  author: Type.Optional(Type.String({ description: 'The name of the key or user who shared it.' })),
  updated_at: timestampField,
  messages: Type.Array(SharedMessageBody, { description: 'Of the branch that its author sees, in order.' }),
});
export type SharedChatBody = Wire<typeof SharedChatBody>;
