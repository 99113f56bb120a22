// GET /props and GET /slots on the wire.

import { Type } from 'typebox';
import type { Wire } from '../../shared/wire-schema.ts';

const contextField = Type.Integer({ description: 'The length of the context in tokens.' });

export const PropsResponseBody = Type.Object({
  default_generation_settings: Type.Object({ n_ctx: contextField }),
  total_slots: Type.Integer(),
  model_alias: Type.String(),
  model_path: Type.String({ description: 'The name of the model. Paths of the server are not shown.' }),
  chat_template: Type.String(),
  modalities: Type.Object({ vision: Type.Boolean(), audio: Type.Boolean() }),
  build_info: Type.String(),
  is_sleeping: Type.Boolean({ description: 'Whether the model must be loaded first.' }),
});
export type PropsResponseBody = Wire<typeof PropsResponseBody>;

export const SlotsResponseBody = Type.Array(
  Type.Object({
    id: Type.Integer(),
    n_ctx: contextField,
    is_processing: Type.Boolean({ description: 'With a key: whether a request of this key uses it.' }),
  }),
);
export type SlotsResponseBody = Wire<typeof SlotsResponseBody>;
