// What the server answers, as schemas: for the OpenAPI document. The interfaces beside the requests are what the code is
// held to; the end-to-end tests hold real answers against these.

import { Type } from 'typebox';

const text = Type.String();
const whole = Type.Integer();
const maybe = Type.Optional;
const moment = Type.String({ format: 'date-time' });
const anything = Type.Record(Type.String(), Type.Unknown());

export const ErrorBody = Type.Object({ error: text });

const statistics = {
  done_reason: maybe(Type.Union(['stop', 'length', 'load', 'unload'].map((reason) => Type.Literal(reason)))),
  total_duration: maybe(Type.Integer({ description: 'Nanoseconds, as all durations.' })),
  load_duration: maybe(whole),
  prompt_eval_count: maybe(whole),
  prompt_eval_duration: maybe(whole),
  eval_count: maybe(whole),
  eval_duration: maybe(whole),
};

const token = { token: text, logprob: Type.Number(), bytes: Type.Array(whole) };
const Logprobs = Type.Array(Type.Object({ ...token, top_logprobs: maybe(Type.Array(Type.Object(token))) }));

export const GenerateBody = Type.Object({
  model: text,
  created_at: moment,
  response: text,
  thinking: maybe(text),
  done: Type.Boolean(),
  context: maybe(Type.Array(whole)),
  logprobs: maybe(Logprobs),
  ...statistics,
});

const ToolCall = Type.Object({
  id: maybe(text),
  function: Type.Object({ index: whole, name: text, arguments: anything }),
});

export const ChatBody = Type.Object({
  model: text,
  created_at: moment,
  message: maybe(
    Type.Object({
      role: Type.Literal('assistant'),
      content: text,
      thinking: maybe(text),
      tool_calls: maybe(Type.Array(ToolCall)),
    }),
  ),
  done: Type.Boolean(),
  logprobs: maybe(Logprobs),
  ...statistics,
});

const vector = Type.Array(Type.Number());
const counts = { total_duration: whole, load_duration: whole, prompt_eval_count: whole };
export const EmbedBody = Type.Object({ model: text, embeddings: Type.Array(vector), ...counts });
export const EmbeddingsBody = Type.Object({ embedding: vector });

const Details = Type.Object({
  parent_model: text,
  format: text,
  family: text,
  families: Type.Union([Type.Array(text), Type.Null()]),
  parameter_size: text,
  quantization_level: text,
});
const listed = { name: text, model: text, size: whole, digest: text, details: Details };

export const TagsBody = Type.Object({ models: Type.Array(Type.Object({ ...listed, modified_at: moment })) });

export const PsBody = Type.Object({
  models: Type.Array(
    Type.Object({
      ...listed,
      expires_at: moment,
      size_vram: whole,
      context_length: maybe(whole),
      state: Type.Union(['loading', 'idle', 'busy', 'draining'].map((state) => Type.Literal(state))),
      fallback: maybe(Type.String({ description: 'Why it computes without the GPU that is there.' })),
    }),
  ),
});

export const CancelBody = Type.Object({ status: Type.Literal('cancelled') });

export const QueueBody = Type.Object({
  queues: Type.Array(
    Type.Object({ model: text, waiting: Type.Array(Type.Object({ id: text, since: moment, for: text })) }),
  ),
});

export const ShowBody = Type.Object({
  license: maybe(text),
  modelfile: text,
  parameters: maybe(text),
  template: text,
  system: maybe(text),
  details: Details,
  messages: maybe(Type.Array(Type.Object({ role: text, content: text }))),
  model_info: anything,
  projector_info: maybe(anything),
  capabilities: Type.Array(text),
  modified_at: moment,
});

export const StatusBody = Type.Object({
  status: text,
  digest: maybe(text),
  total: maybe(whole),
  completed: maybe(whole),
});

export const VerifyBody = Type.Object({ status: text }, { additionalProperties: true });
export const VersionBody = Type.Object({ version: text, hearth: text });
export const TokenizeBody = Type.Object({ model: text, tokens: Type.Array(whole) });
export const DetokenizeBody = Type.Object({ model: text, text });
