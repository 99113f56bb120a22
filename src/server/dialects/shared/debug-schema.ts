// `_debug_render_only`: the prompt that a model would be given, instead of an answer.

import { Type } from 'typebox';
import type { Wire } from './wire-schema.ts';

export const debugRenderField = Type.Optional(
  Type.Boolean({ description: 'True: the response is the prompt that the model would be given, in `_debug_info`.' }),
);

const DebugInfoBody = Type.Object({
  rendered_template: Type.String(),
  image_count: Type.Optional(Type.Integer()),
});
export type DebugInfoBody = Wire<typeof DebugInfoBody>;

export const debugInfoField = Type.Optional(DebugInfoBody);
