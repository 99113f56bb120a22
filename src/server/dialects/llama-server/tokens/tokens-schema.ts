// POST /tokenize, /detokenize and /apply-template on the wire.

import { Type } from 'typebox';
import { ChatCompletionRequestBody } from '../../openai/chat/chat-schema.ts';
import type { Wire } from '../../shared/wire-schema.ts';
import { chosenModelField } from '../model-field-schema.ts';

const { messages, tools, tool_choice, chat_template_kwargs, reasoning_effort } = ChatCompletionRequestBody.properties;
const conversationFields = { messages, tools, tool_choice, chat_template_kwargs, reasoning_effort };
const generationPromptField = Type.Optional(
  Type.Boolean({
    description: 'Must be true: the prompt always ends where the answer begins.',
    documented: { const: true },
  }),
);

export const PlainTokenizeRequestBody = Type.Object({
  model: chosenModelField,
  content: Type.Optional(Type.String({ description: 'The text.' })),
  add_special: Type.Optional(
    Type.Boolean({
      description: "Add the model's special tokens, such as the one that begins a text. Default: false.",
    }),
  ),
  parse_special: Type.Optional(
    Type.Boolean({ description: 'False: the names of special tokens are text like any other. Default: true.' }),
  ),
  with_pieces: Type.Optional(Type.Boolean({ description: 'Return the text of each token, too.' })),
  prompt: Type.Optional(Type.String({ description: 'The text, in the form of vLLM. The response has its form.' })),
  add_special_tokens: Type.Optional(Type.Boolean({ description: 'With prompt: as add_special. Default: true.' })),
  add_generation_prompt: generationPromptField,
  return_token_strs: Type.Optional(
    Type.Boolean({ description: 'In the form of vLLM: return the text of each token, too.' }),
  ),
  ...conversationFields,
});
export type PlainTokenizeRequestBody = Wire<typeof PlainTokenizeRequestBody>;

const tokenNumbers = Type.Array(Type.Integer());
const Piece = Type.Object({
  id: Type.Integer(),
  piece: Type.Union([Type.String(), Type.Array(Type.Integer())], {
    description: 'The text, or the bytes of a part of a character.',
  }),
});
export type PieceBody = Wire<typeof Piece>;

const LlamaTokens = Type.Object({ tokens: Type.Union([tokenNumbers, Type.Array(Piece)]) });
const VllmTokens = Type.Object({
  count: Type.Integer(),
  max_model_len: Type.Integer({ description: 'The length of the context in tokens; 0: the model is not loaded.' }),
  tokens: tokenNumbers,
  token_strs: Type.Optional(Type.Array(Type.String())),
});
export const PlainTokenizeResponseBody = Type.Union([LlamaTokens, VllmTokens]);
export type PlainTokenizeResponseBody = Wire<typeof PlainTokenizeResponseBody>;

export const PlainDetokenizeRequestBody = Type.Object({
  model: chosenModelField,
  tokens: Type.Optional(Type.Array(Type.Integer(), { documented: { items: { type: 'integer', minimum: 0 } } })),
});
export type PlainDetokenizeRequestBody = Wire<typeof PlainDetokenizeRequestBody>;

export const PlainDetokenizeResponseBody = Type.Object({
  content: Type.String(),
  prompt: Type.String({ description: 'The same text, under the name of vLLM.' }),
});
export type PlainDetokenizeResponseBody = Wire<typeof PlainDetokenizeResponseBody>;

export const ApplyTemplateRequestBody = Type.Object(
  { model: chosenModelField, ...conversationFields, add_generation_prompt: generationPromptField },
  { documented: { required: ['messages'] } },
);
export type ApplyTemplateRequestBody = Wire<typeof ApplyTemplateRequestBody>;

export const ApplyTemplateResponseBody = Type.Object({ prompt: Type.String() });
export type ApplyTemplateResponseBody = Wire<typeof ApplyTemplateResponseBody>;
