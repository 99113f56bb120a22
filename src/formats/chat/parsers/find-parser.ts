// The parsers by the names in model configs.

import type { ParserFamily } from './answer-parser.ts';
import { cogitoParser, deepseek3Parser } from './deepseek3.ts';
import { glm47Parser, glmOcrParser } from './glm.ts';
import { ministralParser } from './ministral.ts';
import { olmo3Parser, olmo3ThinkParser } from './olmo3.ts';
import { passthroughParser } from './passthrough.ts';
import { qwen3Parser, qwen3ThinkingParser } from './qwen3.ts';

const families: ReadonlyMap<string, ParserFamily> = new Map(
  Object.entries({
    cogito: cogitoParser,
    deepseek3: deepseek3Parser,
    'glm-4.7': glm47Parser,
    'glm-ocr': glmOcrParser,
    ministral: ministralParser,
    olmo3: olmo3Parser,
    'olmo3-think': olmo3ThinkParser,
    passthrough: passthroughParser,
    qwen3: qwen3Parser,
    'qwen3-thinking': qwen3ThinkingParser,
  }),
);

export function findParser(name: string): ParserFamily | undefined {
  return families.get(name);
}
