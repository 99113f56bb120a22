// What the OpenAI dialect answers, as schemas: for the OpenAPI document, as in ../responses.ts.

import { Type } from 'typebox';

const text = Type.String();
const whole = Type.Integer();
const maybe = Type.Optional;
const orNull = <Schema extends Parameters<typeof Type.Array>[0]>(schema: Schema) => Type.Union([schema, Type.Null()]);

export const OpenAiErrorBody = Type.Object({
  error: Type.Object({ message: text, type: text, param: Type.Null(), code: Type.Null() }),
});

const Usage = Type.Object({ prompt_tokens: whole, completion_tokens: whole, total_tokens: whole });
const head = { id: text, object: text, created: whole, model: text, system_fingerprint: text };
const token = { token: text, logprob: Type.Number(), bytes: Type.Array(whole) };
const Logprobs = Type.Object({
  content: Type.Array(Type.Object({ ...token, top_logprobs: Type.Array(Type.Object(token)) })),
});
const ToolCall = Type.Object({
  id: text,
  index: whole,
  type: Type.Literal('function'),
  function: Type.Object({ name: text, arguments: text }),
});
const said = { reasoning: maybe(text), tool_calls: maybe(Type.Array(ToolCall)) };

export const ChatCompletionBody = Type.Object({
  ...head,
  choices: Type.Array(
    Type.Object({
      index: whole,
      message: Type.Object({ role: text, content: orNull(text), ...said }),
      logprobs: orNull(Logprobs),
      finish_reason: text,
    }),
  ),
  usage: Usage,
});

export const ChatCompletionChunkBody = Type.Object({
  ...head,
  choices: Type.Array(
    Type.Object({
      index: whole,
      delta: Type.Object({ role: maybe(text), content: maybe(text), ...said }),
      logprobs: maybe(Logprobs),
      finish_reason: orNull(text),
    }),
  ),
  usage: maybe(orNull(Usage)),
});

export const CompletionBody = Type.Object({
  ...head,
  choices: Type.Array(
    Type.Object({
      index: whole,
      text,
      logprobs: orNull(
        Type.Object({
          tokens: Type.Array(text),
          token_logprobs: Type.Array(Type.Number()),
          top_logprobs: Type.Array(Type.Record(text, Type.Number())),
          text_offset: Type.Array(whole),
        }),
      ),
      finish_reason: orNull(text),
    }),
  ),
  usage: maybe(orNull(Usage)),
});

export const EmbeddingListBody = Type.Object({
  object: Type.Literal('list'),
  data: Type.Array(
    Type.Object({
      object: Type.Literal('embedding'),
      index: whole,
      embedding: Type.Union([Type.Array(Type.Number()), Type.String({ description: 'Base64, where asked for.' })]),
    }),
  ),
  model: text,
  usage: Type.Object({ prompt_tokens: whole, total_tokens: whole }),
});

export const ModelBody = Type.Object({ id: text, object: Type.Literal('model'), created: whole, owned_by: text });
export const DeletedBody = Type.Object({ id: text, object: Type.Literal('model'), deleted: Type.Literal(true) });
export const ModelListBody = Type.Object({ object: Type.Literal('list'), data: Type.Array(ModelBody) });
