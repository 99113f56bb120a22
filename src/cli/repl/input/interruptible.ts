// Runs work that Ctrl-C stops. Other keys are kept for the next prompt.

import type { Key } from '../editor/keys.ts';
import type { Keyboard } from './keyboard.ts';

export async function interruptible<T>(
  { keyboard, signal }: { readonly keyboard: Keyboard; readonly signal: AbortSignal },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const stopped = new AbortController();
  const release = keyboard.attach((keys) => stopOnInterrupt(keys, stopped));
  try {
    return await work(AbortSignal.any([signal, stopped.signal]));
  } finally {
    release();
  }
}

const isPress = (key: Key, name: string): boolean => key.type === 'press' && key.name === name;

function stopOnInterrupt(keys: readonly Key[], stopped: AbortController): readonly Key[] {
  const index = keys.findIndex((key) => isPress(key, 'ctrl-c') || isPress(key, 'hangup'));
  if (index === -1) return keys;
  stopped.abort();
  // Ctrl-C also discards the keys typed before it.
  return keys.slice(index).filter((key) => !isPress(key, 'ctrl-c'));
}
