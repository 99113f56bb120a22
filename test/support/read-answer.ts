// Reads an answer with a parser: as a whole, by characters, and in two pieces at every position. The result must be the same.

import { expect } from 'vitest';
import type { ParserContext } from '../../src/formats/chat/parsers/answer-parser.ts';
import { findParser } from '../../src/formats/chat/parsers/find-parser.ts';
import type { AnswerParts } from '../../src/formats/chat/tool-calls/tool-call.ts';

interface ReadOptions extends Partial<ParserContext> {
  readonly isCut?: boolean;
}

export function readAnswer(parser: string, text: string, { isCut = false, ...context }: ReadOptions = {}): AnswerParts {
  const read = (pieces: readonly string[]): AnswerParts => {
    const family = findParser(parser);
    if (family === undefined) throw new Error(`there is no parser ${parser}`);
    const reader = family.open({ tools: [], think: undefined, ...context });
    const parts = [...pieces.map((piece) => reader.push(piece)), reader.finish({ isCut })];
    return {
      thinking: parts.map(({ thinking }) => thinking).join(''),
      content: parts.map(({ content }) => content).join(''),
      calls: parts.flatMap(({ calls }) => calls),
    };
  };
  const whole = read([text]);
  expect(read([...text]), 'by characters').toEqual(whole);
  for (let at = 1; at < text.length; at++)
    expect(read([text.slice(0, at), text.slice(at)]), `cut at ${at}`).toEqual(whole);
  return whole;
}
