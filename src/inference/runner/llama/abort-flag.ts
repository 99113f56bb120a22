// Ends a pass early. llama.cpp asks a callback after every operation, hundreds of times in a pass that may take two
// milliseconds, so the callback must be native. It is strlen: for a byte that is 0 or 1, followed by a 0, it returns 0 or
// 1, which is a valid `bool` in all calling conventions. It has no state and no locale, and every C library has it.

import koffi from 'koffi';
import type { LlamaApi } from './bindings/llama-api.ts';
import type { Address, ContextPointer } from './bindings/pointers.ts';

/** The result of a decode that was ended by its flag. */
export const decodeAborted = 2;

/** The context ends its passes while the first byte of `flag` is 1. The second byte is 0. The memory must not move. */
export type SetAbortFlag = (context: ContextPointer, flag: Uint8Array) => void;

export function bindAbortFlag(api: Pick<LlamaApi, 'setAbortCallback'>): SetAbortFlag {
  const strlen = koffi.load(null).symbol('strlen') as Address;
  return (context, flag) => api.setAbortCallback(context, strlen, flag);
}
