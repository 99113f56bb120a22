// Turns the bytes of tokens into text that can be sent: complete characters only, and nothing that could still be the
// beginning of a stop sequence.

import { StringDecoder } from 'node:string_decoder';
import type { AnswerPiece } from './answer-pieces.ts';

type StreamPiece = Pick<AnswerPiece, 'bytes' | 'text'>;

/** `minTokens`: stop sequences in the text of the first tokens do not end the answer. */
export function createTextStream(stopSequences: readonly string[], minTokens = 0) {
  const decoder = new StringDecoder('utf8');
  const stops = stopSequences.filter((stop) => stop !== '');
  let held = '';
  let found: string | undefined;
  let inCharacter = false;
  let tokens = 0;

  const decode = ({ bytes, text }: StreamPiece): string => {
    if (text !== undefined && !inCharacter) return text;
    // Complete characters after an incomplete one leave nothing in the decoder.
    if (bytes.length > 0) inCharacter = text === undefined;
    return decoder.write(bytes);
  };

  return {
    /** Whether there are stop sequences, so that a piece may end the text. */
    canStop: stops.length > 0,
    /** The stop sequence that was found. No text follows it. */
    get stopSequence(): string | undefined {
      return found;
    },
    /** Adds the piece of a token. Returns the text that can be sent now. */
    push(piece: StreamPiece): string {
      if (found !== undefined) return '';
      if (stops.length === 0 || ++tokens <= minTokens) return decode(piece);
      held += decode(piece);
      found = firstStop(held, stops);
      const end = found === undefined ? held.length - partialStopLength(held, stops) : held.indexOf(found);
      const ready = held.slice(0, end);
      held = found === undefined ? held.slice(end) : '';
      return ready;
    },
    /** Adds a text that is not compared with the stop sequences. An incomplete character before it is dropped. */
    force(text: string): string {
      if (found !== undefined) return '';
      decoder.end();
      inCharacter = false;
      const ready = held + text;
      held = '';
      return ready;
    },
    /** Ends the answer. Returns the text that was held back; an incomplete character at the end is dropped. */
    finish(): string {
      const rest = held;
      held = '';
      return rest;
    },
  };
}

export type TextStream = ReturnType<typeof createTextStream>;

/** The stop sequence that begins first in `text`; of several that begin there, the shortest. */
function firstStop(text: string, stops: readonly string[]): string | undefined {
  let first: string | undefined;
  let start = Number.POSITIVE_INFINITY;
  for (const stop of stops) {
    const index = text.indexOf(stop);
    if (index === -1 || index > start) continue;
    if (index === start && stop.length >= (first?.length ?? 0)) continue;
    first = stop;
    start = index;
  }
  return first;
}

/** The length of the longest suffix of `text` that is a prefix of a stop sequence. */
function partialStopLength(text: string, stops: readonly string[]): number {
  let longest = 0;
  for (const stop of stops) {
    const max = Math.min(stop.length - 1, text.length);
    for (let length = max; length > longest; length--) {
      if (text.endsWith(stop.slice(0, length))) {
        longest = length;
        break;
      }
    }
  }
  return longest;
}
