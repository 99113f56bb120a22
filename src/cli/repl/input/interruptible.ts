// Work that Ctrl-C stops, while other keys wait for the next prompt.

import type { Key } from '../editor/keys.ts';
import type { Keyboard } from './keyboard.ts';

export async function interruptible<T>(
  { keyboard, signal }: { readonly keyboard: Keyboard; readonly signal: AbortSignal },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const stopped = new AbortController();
  const release = keyboard.take((keys) => stopOnInterrupt(keys, stopped));
  try {
    return await work(AbortSignal.any([signal, stopped.signal]));
  } finally {
    release();
  }
}

const isPress = (key: Key, name: string): boolean => key.type === 'press' && key.name === name;

function stopOnInterrupt(keys: readonly Key[], stopped: AbortController): readonly Key[] {
  const place = keys.findIndex((key) => isPress(key, 'ctrl-c') || isPress(key, 'hangup'));
  if (place === -1) return keys;
  stopped.abort();
  // What was typed before it was typed to be given up.
  return keys.slice(place).filter((key) => !isPress(key, 'ctrl-c'));
}
