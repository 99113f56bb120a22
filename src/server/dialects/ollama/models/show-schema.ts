// POST /api/show on the wire.

import { type Static, Type } from 'typebox';
import type { ModelDetailsBody } from './details-schema.ts';

export const ShowRequest = Type.Object({
  model: Type.Optional(Type.String({ description: 'The name of the model. Required.' })),
  name: Type.Optional(Type.String({ description: 'The older name of `model`.' })),
  verbose: Type.Optional(Type.Boolean()),
  system: Type.Optional(
    Type.String({ description: 'The Modelfile is shown as it would be with this, and with these options.' }),
  ),
  options: Type.Optional(Type.Record(Type.String(), Type.Unknown(), { description: 'Any of the options of models.' })),
});
export type ShowRequest = Static<typeof ShowRequest>;

export interface ShowResponse {
  readonly license?: string;
  readonly modelfile: string;
  readonly parameters?: string;
  readonly template: string;
  readonly system?: string;
  readonly details: ModelDetailsBody;
  readonly messages?: readonly { readonly role: string; readonly content: string }[];
  readonly model_info: Readonly<Record<string, unknown>>;
  readonly projector_info?: Readonly<Record<string, unknown>>;
  readonly capabilities: readonly string[];
  readonly modified_at: string;
}
