// Turns the pieces of tokens into text that can be sent: whole characters only, and nothing that could still turn
// out to be the beginning of a stop text.

import { StringDecoder } from 'node:string_decoder';

export interface TextStream {
  /** True once a stop text has come; nothing comes after it. */
  readonly stopped: boolean;
  /** Adds the bytes of a token; returns what can be sent now. */
  push(piece: Uint8Array): string;
  /** The answer is over: returns what was held back. Half a character at the end is dropped. */
  finish(): string;
}

export function createTextStream(stops: readonly string[]): TextStream {
  const decoder = new StringDecoder('utf8');
  const texts = stops.filter((stop) => stop !== '');
  let held = '';
  let stopped = false;

  return {
    get stopped() {
      return stopped;
    },
    push(piece) {
      if (stopped) return '';
      held += decoder.write(Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength));
      const stop = firstOccurrence(held, texts);
      stopped = stop !== -1;
      const end = stopped ? stop : held.length - possibleStopLength(held, texts);
      const ready = held.slice(0, end);
      held = stopped ? '' : held.slice(end);
      return ready;
    },
    finish() {
      const rest = held;
      held = '';
      return rest;
    },
  };
}

function firstOccurrence(text: string, stops: readonly string[]): number {
  const slots = stops.map((stop) => text.indexOf(stop)).filter((slot) => slot !== -1);
  return slots.length === 0 ? -1 : Math.min(...slots);
}

/** The length of the longest end of `text` that a stop text begins with. */
function possibleStopLength(text: string, stops: readonly string[]): number {
  let longest = 0;
  for (const stop of stops) {
    const most = Math.min(stop.length - 1, text.length);
    for (let length = most; length > longest; length--) {
      if (text.endsWith(stop.slice(0, length))) {
        longest = length;
        break;
      }
    }
  }
  return longest;
}
