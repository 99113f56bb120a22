// The details of a model in the responses of tags, show and ps.

import { Type } from 'typebox';
import type { Wire } from '../../shared/wire-schema.ts';

export const ModelDetailsBody = Type.Object({
  parent_model: Type.String(),
  format: Type.String(),
  family: Type.String(),
  families: Type.Union([Type.Array(Type.String()), Type.Null()]),
  parameter_size: Type.String(),
  quantization_level: Type.String(),
  dialect: Type.Optional(
    Type.String({ description: '`ollama` if the weights are translated for the engine. Only in `show`.' }),
  ),
  context_length: Type.Optional(Type.Integer({ description: 'The trained context length. Only in lists.' })),
  embedding_length: Type.Optional(Type.Integer({ description: 'Only in lists.' })),
});
export type ModelDetailsBody = Wire<typeof ModelDetailsBody>;

/** Fields that tags and ps list for each model. */
export const listedModelFields = {
  name: Type.String(),
  model: Type.String(),
  size: Type.Integer({ description: 'Bytes.' }),
  digest: Type.String(),
  details: ModelDetailsBody,
};

/** Only for a model that runs on another host. */
export const remoteModelFields = {
  remote_model: Type.Optional(Type.String({ description: 'Only for a model that runs on another host.' })),
  remote_host: Type.Optional(Type.String({ description: 'The name of the remote.' })),
};
