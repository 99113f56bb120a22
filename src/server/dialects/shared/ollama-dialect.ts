// The dialect of Ollama: errors are {"error", "code"}, streams are newline-delimited JSON.

import type { HearthError } from '../../../base/errors.ts';
import type { ApiDialect } from '../../http/dialect.ts';
import { statusOf } from '../../http/error-status.ts';
import { ErrorResponseBody } from './ollama-error-schema.ts';

const toErrorBody = ({ message, code }: HearthError): ErrorResponseBody => ({ error: message, code });
const frame = (object: object): string => `${JSON.stringify(object)}\n`;

export const ollamaDialect: ApiDialect = {
  name: 'Ollama',
  errorSchema: ErrorResponseBody,
  statusOf: (code) => statusOf[code],
  toErrorBody,
  framing: {
    contentType: 'application/x-ndjson',
    frame,
    frameError: (error) => frame(toErrorBody(error)),
    end: '',
  },
};
