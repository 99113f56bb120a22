// Splits a long JSON text into the objects of its list, so that each can be parsed by itself: the text may be larger than
// the memory for it.
//
//   text = "[" [ object { "," object } ] "]"
//        | "{" … name ":" "[" [ object { "," object } ] "]" … "}"
//
// Only strings and nesting are looked at. Whether an object is valid is found when it is parsed.

import { HearthError } from '../../base/errors.ts';

const quote = 0x22;
const backslash = 0x5c;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;

/** Whether an object of the list begins or ends with a byte. */
type Change = 'begins' | 'ends' | undefined;

export function createJsonElements(maxBytes: number) {
  let depth = 0;
  let inString = false;
  let escaped = false;
  let isComplete = false;
  // The depth of the list: 1 if the text is a list, 2 if it is an object with lists.
  let listDepth = 0;
  let inList = false;
  // The parts of an unfinished object; none if it is too large.
  let parts: Uint8Array[] | undefined;
  let length = 0;

  function keep(part: Uint8Array): void {
    length += part.length;
    if (length > maxBytes) parts = [];
    else parts?.push(part);
  }

  function open(byte: number): Change {
    if (depth === 0) listDepth = byte === openBracket ? 1 : 2;
    depth++;
    if (depth === listDepth) inList = byte === openBracket;
    return depth === listDepth + 1 && inList && byte === openBrace ? 'begins' : undefined;
  }

  function close(): Change {
    // Only a text that is not valid has more ends than beginnings.
    if (depth === 0) return undefined;
    depth--;
    if (depth === 0) isComplete = true;
    return depth === listDepth && parts !== undefined ? 'ends' : undefined;
  }

  function skipString(byte: number): void {
    if (escaped) escaped = false;
    else if (byte === backslash) escaped = true;
    else if (byte === quote) inString = false;
  }

  function step(byte: number): Change {
    if (inString) skipString(byte);
    else if (byte === quote) inString = true;
    else if (byte === openBrace || byte === openBracket) return open(byte);
    else if (byte === closeBrace || byte === closeBracket) return close();
    return undefined;
  }

  function finish(lastPart: Uint8Array): Buffer | undefined {
    keep(lastPart);
    const object = length > maxBytes ? undefined : Buffer.concat(parts ?? []);
    parts = undefined;
    return object;
  }

  return {
    /** The objects that end in these bytes. Undefined: one that is larger than the limit. */
    add(bytes: Uint8Array): (Buffer | undefined)[] {
      const found: (Buffer | undefined)[] = [];
      // Where the unfinished object begins in these bytes.
      let start = 0;
      for (let index = 0; index < bytes.length && !isComplete; index++) {
        const change = step(bytes[index] as number);
        if (change === 'begins') {
          parts = [];
          length = 0;
          start = index;
        } else if (change === 'ends') found.push(finish(bytes.subarray(start, index + 1)));
      }
      if (parts !== undefined) keep(bytes.subarray(start));
      return found;
    },
    /** The size of an object that has not ended; never more than the limit. */
    bufferedBytes: (): number => (parts === undefined || length > maxBytes ? 0 : length),
    /** Throws `bad_request` if the text is not complete. */
    end(): void {
      if (!isComplete) throw new HearthError('bad_request', 'the request body is not a complete JSON object or list');
    },
  };
}
