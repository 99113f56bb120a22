// Errors in the shape of Cohere.

import { Type } from 'typebox';
import type { Wire } from '../shared/wire-schema.ts';

export const CohereErrorResponseBody = Type.Object({
  id: Type.Union([Type.String(), Type.Null()], { description: 'The id of the request.' }),
  message: Type.String(),
  code: Type.String({ description: 'The kind of error, for programs.' }),
});
export type CohereErrorResponseBody = Wire<typeof CohereErrorResponseBody>;
