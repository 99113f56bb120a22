// Errors: a response body, or the last line of a stream.

import { Type } from 'typebox';
import type { Wire } from './wire-schema.ts';

export const ErrorResponseBody = Type.Object({
  error: Type.String({ description: 'A sentence for people. The texts are those of Ollama where it has one.' }),
  code: Type.String({ description: 'The kind of error, for programs. Not part of the Ollama API.' }),
});
export type ErrorResponseBody = Wire<typeof ErrorResponseBody>;
