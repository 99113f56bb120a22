// Messages between the server and the process that converts a checkpoint.

import { type ErrorCode, errorCatalogue } from '../../base/errors.ts';
import { asObject, isCount, parseJson } from '../../base/json-values.ts';

export type ConvertMessage =
  | { readonly kind: 'progress'; readonly done: number; readonly total: number }
  /** `maxTokens`: the number of tokens at which texts are to be cut. */
  | { readonly kind: 'done'; readonly maxTokens?: number }
  /** `systemCode`: such as ENOSPC, if the operating system reported the error. */
  | { readonly kind: 'failed'; readonly code: ErrorCode; readonly message: string; readonly systemCode?: string };

/** Undefined for a line that is no message: the process read hostile files. */
export function parseConvertMessage(line: string): ConvertMessage | undefined {
  const value = asObject(parseJson(line));
  const { kind, done, total, maxTokens } = value;
  if (kind === 'progress' && isCount(done) && isCount(total)) return { kind, done, total };
  if (kind === 'done') return { kind, maxTokens: isCount(maxTokens) ? maxTokens : undefined };
  return kind === 'failed' ? parseFailure(value) : undefined;
}

function parseFailure({ code, message, systemCode }: Readonly<Record<string, unknown>>): ConvertMessage {
  return {
    kind: 'failed',
    code: typeof code === 'string' && Object.hasOwn(errorCatalogue, code) ? (code as ErrorCode) : 'internal',
    message: String(message),
    systemCode: typeof systemCode === 'string' ? systemCode : undefined,
  };
}
