// The keyboard of a session. Keys go to the current handler; keys that it leaves are queued, so that the user can type
// ahead while an answer streams.

import type { Clock, Timer } from '../../../base/time/clock.ts';
import type { Terminal } from '../../terminal.ts';
import { createKeyDecoder } from '../editor/key-decoder.ts';
import { type Key, press } from '../editor/keys.ts';

/** Returns the keys that it does not consume. */
type KeyHandler = (keys: readonly Key[]) => readonly Key[];

/** A lone escape is the Escape key after this time, which allows for delays of slow connections. */
const escapeTimeoutMs = 60;
const maxQueued = 10_000;
const bracketedPaste = { on: '\x1b[?2004h', off: '\x1b[?2004l' };

export function createKeyboard({ terminal, clock }: { terminal: Terminal; clock: Clock }) {
  const { stdin, stdout } = terminal;
  const decoder = createKeyDecoder();
  let queued: readonly Key[] = [];
  let handler: KeyHandler | undefined;
  let escapeTimer: Timer | undefined;

  function deliver(keys: readonly Key[]): void {
    const all = [...queued, ...keys];
    queued = [];
    const left = all.length > 0 && handler !== undefined ? handler(all) : all;
    queued = [...left, ...queued].slice(0, maxQueued);
  }

  function onData(bytes: Uint8Array): void {
    escapeTimer?.cancel();
    deliver(decoder.decode(bytes));
    if (decoder.waiting) escapeTimer = clock.after(escapeTimeoutMs, () => deliver(decoder.settle()));
  }

  // The terminal was closed.
  const onEnd = (): void => deliver([press('hangup')]);

  return {
    /** Sends keys to `handler` until the returned function is called. */
    attach(newHandler: KeyHandler): () => void {
      handler = newHandler;
      // Deferred, so that the caller has received the function that detaches the handler.
      if (queued.length > 0) queueMicrotask(() => deliver([]));
      return () => {
        if (handler === newHandler) handler = undefined;
      };
    },
    open(): void {
      stdin.setRaw(true);
      stdout.write(bracketedPaste.on);
      stdin.stream.on('data', onData).on('end', onEnd).on('error', onEnd).resume();
    },
    close(): void {
      escapeTimer?.cancel();
      stdin.stream.off('data', onData).off('end', onEnd).off('error', onEnd).pause();
      stdout.write(bracketedPaste.off);
      stdin.setRaw(false);
    },
  };
}

export type Keyboard = ReturnType<typeof createKeyboard>;
