// Captures what llama.cpp logs during a call. The callback runs in JavaScript on this thread. A log line from another
// thread would wait for this thread, which waits for the call: a deadlock. So only calls that log from the calling
// thread may be captured: those that load a model, an adapter or a projector, and those that create a context. Their
// only other threads validate tensors and do not log. Decoding and creating a thread pool must not be captured: Metal
// and Windows log there from other threads. Check this again when a new version of llama.cpp is bound.

import koffi, { type LibraryHandle } from 'koffi';
import { bindFunction } from './bind-function.ts';
import type { Address } from './pointers.ts';

export type LogCapture = <Result>(onText: (text: string) => void, call: () => Result) => Result;

koffi.proto('void ggml_log_callback(int level, const char *text, void *user_data)');

/** `setter` names the function that sets the callback; NULL restores the default, which writes to standard error. */
export function bindLogCapture(llama: LibraryHandle, setter: string): LogCapture {
  const setLog = bindFunction<(callback: Address | null, userData: null) => void>(
    llama,
    `void ${setter}(ggml_log_callback *callback, void *user_data)`,
  );
  return (onText, call) => {
    const callback = koffi.register((_level: number, text: string | null) => onText(text ?? ''), 'ggml_log_callback *');
    setLog(callback as unknown as Address, null);
    try {
      return call();
    } finally {
      setLog(null, null);
      koffi.unregister(callback);
    }
  };
}
