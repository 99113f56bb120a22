// POST /api/show on the wire.

import { type Static, Type } from 'typebox';
import type { ModelDetailsBody } from './details.ts';

export const ShowRequest = Type.Object({
  model: Type.Optional(Type.String()),
  /** The older name of `model`. */
  name: Type.Optional(Type.String()),
  verbose: Type.Optional(Type.Boolean()),
  /** These two show the Modelfile as it would be with them. */
  system: Type.Optional(Type.String()),
  options: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
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
