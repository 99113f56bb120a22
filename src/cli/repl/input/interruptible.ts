// Runs work that Ctrl-C stops and Ctrl-Z suspends. Other keys are kept for the next prompt.

import type { Key } from '../editor/keys.ts';
import type { Keyboard } from './keyboard.ts';

interface Interruptible {
  readonly keyboard: Keyboard;
  readonly signal: AbortSignal;
  /** Returns the terminal to the shell. */
  readonly suspend: () => Promise<void>;
}

export async function interruptible<T>(
  { keyboard, signal, suspend }: Interruptible,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const stopped = new AbortController();
  const release = keyboard.attach((keys) => {
    if (keys.some((key) => isPress(key, 'ctrl-z'))) void suspend();
    return stopOnInterrupt(
      keys.filter((key) => !isPress(key, 'ctrl-z')),
      stopped,
    );
  });
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
