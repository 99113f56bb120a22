// Messages between the server and the process that converts a checkpoint.

import { asObject, isCount, parseJson } from '../../base/json-values.ts';
import { type ProgramFailure, parseProgramFailure } from '../../base/process/program-failure.ts';

export type ConvertMessage =
  | { readonly kind: 'progress'; readonly done: number; readonly total: number }
  /** `maxTokens`: the number of tokens at which texts are to be cut. `hasVision`: there is an image encoder, too. */
  | { readonly kind: 'done'; readonly maxTokens?: number; readonly hasVision?: boolean }
  | ProgramFailure;

/** Undefined for a line that is no message: the process read hostile files. */
export function parseConvertMessage(line: string): ConvertMessage | undefined {
  const value = asObject(parseJson(line));
  const { kind, done, total, maxTokens, hasVision } = value;
  if (kind === 'progress' && isCount(done) && isCount(total)) return { kind, done, total };
  if (kind === 'done')
    return {
      kind,
      maxTokens: isCount(maxTokens) ? maxTokens : undefined,
      ...(hasVision === true ? { hasVision } : {}),
    };
  return kind === 'failed' ? parseProgramFailure(value) : undefined;
}
