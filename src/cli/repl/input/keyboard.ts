// The keyboard of a session: keys from the terminal's bytes. Whoever holds it gets them; what nobody takes waits, so that
// people can type ahead while an answer comes.

import type { Clock, Timer } from '../../../base/time/clock.ts';
import type { Terminal } from '../../terminal.ts';
import { createKeyDecoder } from '../editor/key-decoder.ts';
import { type Key, press } from '../editor/keys.ts';

/** Takes keys; returns those that it leaves for others. */
export type KeyTaker = (keys: readonly Key[]) => readonly Key[];

export interface Keyboard {
  /** The keys go to `taker` until the returned function is called. */
  take(taker: KeyTaker): () => void;
  open(): void;
  close(): void;
}

/** An escape that nothing follows for so long is the key of that name; slow lines take some time between bytes. */
const escapePatience = 60;
/** Somebody who types ahead types no book. */
const maxWaiting = 10_000;
const bracketedPaste = { on: '\x1b[?2004h', off: '\x1b[?2004l' };

export function createKeyboard({ terminal, clock }: { terminal: Terminal; clock: Clock }): Keyboard {
  const { stdin, stdout } = terminal;
  const decoder = createKeyDecoder();
  let waiting: readonly Key[] = [];
  let taker: KeyTaker | undefined;
  let patience: Timer | undefined;

  function deliver(keys: readonly Key[]): void {
    const all = [...waiting, ...keys];
    waiting = [];
    const left = all.length > 0 && taker !== undefined ? taker(all) : all;
    waiting = [...left, ...waiting].slice(0, maxWaiting);
  }

  function onData(bytes: Uint8Array): void {
    patience?.cancel();
    deliver(decoder.decode(bytes));
    if (decoder.waiting) patience = clock.after(escapePatience, () => deliver(decoder.settle()));
  }

  // A terminal that is gone sends nothing more: as if somebody had left.
  const onEnd = (): void => deliver([press('hangup')]);

  return {
    take(newTaker) {
      taker = newTaker;
      // Not before the caller knows how to let go.
      if (waiting.length > 0) queueMicrotask(() => deliver([]));
      return () => {
        if (taker === newTaker) taker = undefined;
      };
    },
    open() {
      stdin.setRaw(true);
      stdout.write(bracketedPaste.on);
      stdin.stream.on('data', onData).on('end', onEnd).on('error', onEnd).resume();
    },
    close() {
      patience?.cancel();
      stdin.stream.off('data', onData).off('end', onEnd).off('error', onEnd).pause();
      stdout.write(bracketedPaste.off);
      stdin.setRaw(false);
    },
  };
}
