// The result of reading one call from streamed text.

import type { Scan } from './balance-scanner.ts';
import type { ToolCall } from './tool-call.ts';

export interface CallReader {
  /** Reads from `at`. An object can contain several calls. */
  read(text: string, at: number, ended: boolean): CallScan;
}

interface CallScan extends Scan {
  readonly calls: readonly ToolCall[];
}

/** The calls of these arguments; undefined if they are not valid. */
export type ToCalls = (args: ToolCall['arguments'] | undefined) => readonly ToolCall[] | undefined;

export function open(end: number): CallScan {
  return { state: 'open', end, calls: [] };
}

export function broken(end: number): CallScan {
  return { state: 'broken', end, calls: [] };
}
