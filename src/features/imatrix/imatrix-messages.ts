// What the server and the process that computes an importance matrix tell each other.

import { asObject, isCount, parseJson } from '../../base/json-values.ts';
import { type ProgramFailure, parseProgramFailure } from '../../base/process/program-failure.ts';

/** Tokens of a chunk. */
export const tokensPerChunk = 512;

/** As JSON on standard input. */
export interface ImatrixOrder {
  /** The path of the weights. */
  readonly model: string;
  readonly target: string;
  readonly text: string;
  /** The name of the text, which is written into the file. */
  readonly dataset: string;
  /** Absent: all. */
  readonly maxChunks?: number | undefined;
}

/** As lines of JSON on standard output. */
export type ImatrixMessage =
  | { readonly kind: 'progress'; readonly done: number; readonly total: number }
  /** `matrices`: how many matrices of the model the file describes. */
  | { readonly kind: 'done'; readonly chunks: number; readonly matrices: number }
  | ProgramFailure;

/** Undefined for a line that is no message. */
export function parseImatrixMessage(line: string): ImatrixMessage | undefined {
  const value = asObject(parseJson(line));
  const { kind, done, total, chunks, matrices } = value;
  if (kind === 'progress' && isCount(done) && isCount(total)) return { kind, done, total };
  if (kind === 'done' && isCount(chunks) && isCount(matrices)) return { kind, chunks, matrices };
  return kind === 'failed' ? parseProgramFailure(value) : undefined;
}
