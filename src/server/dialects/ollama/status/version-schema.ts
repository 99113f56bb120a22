// GET /api/version on the wire.

import { Type } from 'typebox';
import type { Wire } from '../../shared/wire-schema.ts';

export const VersionResponseBody = Type.Object({
  version: Type.String({ description: 'The version of Ollama whose API this is. Clients compare it.' }),
  hearth: Type.String({ description: 'The version of Hearth.' }),
  request_log: Type.Optional(
    Type.Integer({
      description: 'The server keeps so many of the last requests with their prompts and answers. Absent: none.',
    }),
  ),
});
export type VersionResponseBody = Wire<typeof VersionResponseBody>;
