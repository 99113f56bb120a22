// The parsers by the names in model configs.

import type { ParserFamily } from './answer-parser.ts';
import { qwen3Parser, qwen3ThinkingParser } from './qwen3.ts';

const families: ReadonlyMap<string, ParserFamily> = new Map(
  Object.entries({
    qwen3: qwen3Parser,
    'qwen3-thinking': qwen3ThinkingParser,
  }),
);

export function findParser(name: string): ParserFamily | undefined {
  return families.get(name);
}
