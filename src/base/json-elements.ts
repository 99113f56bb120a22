// Splits a long JSON text into the objects of its list, so that each can be parsed by itself: the text may be larger than
// the memory for it.
//
//   text = "[" [ object { "," object } ] "]"
//        | "{" … name ":" "[" [ object { "," object } ] "]" … "}"
//
// Only strings and nesting are looked at. Whether an object is valid is found when it is parsed.

import { HearthError } from './errors.ts';

export interface JsonElements {
  /** The objects that end in these bytes. Throws `body_too_large` if one is larger than the limit. */
  add(bytes: Uint8Array): Buffer[];
  /** Throws `bad_request` if the text is not complete. */
  end(): void;
}

const quote = 0x22;
const backslash = 0x5c;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;

export function createJsonElements(maxBytes: number): JsonElements {
  let depth = 0;
  let inString = false;
  let escaped = false;
  let isComplete = false;
  // The depth of the list: 1 if the text is a list, 2 if it is an object with lists.
  let listDepth = 0;
  let inList = false;
  // The parts of an unfinished object, from earlier bytes.
  let parts: Uint8Array[] | undefined;
  let length = 0;

  function keep(part: Uint8Array): void {
    length += part.length;
    if (length > maxBytes)
      throw new HearthError('body_too_large', `an object of the list is larger than ${maxBytes} bytes`);
    parts?.push(part);
  }

  /** True: an object of the list begins. */
  function open(byte: number): boolean {
    if (depth === 0) listDepth = byte === openBracket ? 1 : 2;
    depth++;
    if (depth === listDepth) inList = byte === openBracket;
    return depth === listDepth + 1 && inList && byte === openBrace;
  }

  /** True: an object of the list ends. */
  function close(): boolean {
    depth--;
    if (depth === 0) isComplete = true;
    return depth === listDepth && parts !== undefined;
  }

  function skipString(byte: number): void {
    if (escaped) escaped = false;
    else if (byte === backslash) escaped = true;
    else if (byte === quote) inString = false;
  }

  return {
    add(bytes) {
      const found: Buffer[] = [];
      // Where the unfinished object begins in these bytes.
      let start = 0;
      for (let index = 0; index < bytes.length && !isComplete; index++) {
        const byte = bytes[index] as number;
        if (inString) skipString(byte);
        else if (byte === quote) inString = true;
        else if (byte === openBrace || byte === openBracket) {
          if (open(byte)) {
            parts = [];
            length = 0;
            start = index;
          }
        } else if ((byte === closeBrace || byte === closeBracket) && depth > 0 && close()) {
          keep(bytes.subarray(start, index + 1));
          found.push(Buffer.concat(parts ?? []));
          parts = undefined;
        }
      }
      if (parts !== undefined) keep(bytes.subarray(start));
      return found;
    },
    end() {
      if (!isComplete) throw new HearthError('bad_request', 'the request body is not a complete JSON object or list');
    },
  };
}
