// The arguments of tool calls in a conversation: an object, or its JSON text. The values in the texts are not counted when
// the body is, and count here.

import { HearthError } from '../../../base/errors.ts';
import { JsonScanner } from '../../../base/text/json-scanner.ts';

/** Returns undefined for anything else than an object. */
export type ReadArguments = (given: unknown) => Record<string, unknown> | undefined;

// All texts of a request together. Reading this many characters takes about 20 milliseconds.
const maxCharacters = 8 * 2 ** 20;

/** For the calls of one request. */
export function createReadArguments(): ReadArguments {
  const scanner = new JsonScanner();
  let characters = 0;

  const parse = (text: string): unknown => {
    characters += text.length;
    if (characters > maxCharacters)
      throw new HearthError('body_too_large', `tool calls have more than ${maxCharacters} characters of arguments`);
    scanner.addText(text);
    try {
      return JSON.parse(text);
    } catch {
      return undefined;
    }
  };

  return (given) => {
    const value = typeof given === 'string' ? parse(given) : given;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    return value as Record<string, unknown>;
  };
}
