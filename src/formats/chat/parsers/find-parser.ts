// The parsers by the names in model configs.

import type { ParserFamily } from './answer-parser.ts';
import { cohereParser } from './cohere.ts';
import { cogitoParser, deepseek3Parser } from './deepseek3.ts';
import { functionGemmaParser, gemma4Parser, gemma4PlainParser } from './gemma.ts';
import { glimmerParser } from './glimmer.ts';
import { glm47Parser, glmOcrParser } from './glm.ts';
import { harmonyParser } from './harmony.ts';
import { lagunaParser, poolsideParser } from './laguna.ts';
import { lfm2Parser, lfm2ThinkingParser } from './lfm2.ts';
import { ministralParser } from './ministral.ts';
import { olmo3Parser, olmo3ThinkParser } from './olmo3.ts';
import { passthroughParser } from './passthrough.ts';
import {
  nemotronParser,
  qwen3CoderParser,
  qwen3Parser,
  qwen3ThinkingParser,
  qwen3VlThinkingParser,
  qwen35Parser,
} from './qwen3.ts';

const families: ReadonlyMap<string, ParserFamily> = new Map(
  Object.entries({
    cogito: cogitoParser,
    cohere: cohereParser,
    deepseek3: deepseek3Parser,
    functiongemma: functionGemmaParser,
    gemma4: gemma4Parser,
    'gemma4-no-thinking': gemma4PlainParser,
    glimmer: glimmerParser,
    'glm-4.7': glm47Parser,
    'glm-ocr': glmOcrParser,
    laguna: lagunaParser,
    lfm2: lfm2Parser,
    'lfm2-thinking': lfm2ThinkingParser,
    harmony: harmonyParser,
    ministral: ministralParser,
    'nemotron-3-nano': nemotronParser,
    'nemotron-3.5-nano': nemotronParser,
    olmo3: olmo3Parser,
    'olmo3-think': olmo3ThinkParser,
    passthrough: passthroughParser,
    'poolside-v1': poolsideParser,
    qwen3: qwen3Parser,
    'qwen3-thinking': qwen3ThinkingParser,
    'qwen3-coder': qwen3CoderParser,
    'qwen3-vl-instruct': qwen3Parser,
    'qwen3-vl-thinking': qwen3VlThinkingParser,
    'qwen3.5': qwen35Parser,
    ornith: qwen35Parser,
  }),
);

export function findParser(name: string): ParserFamily | undefined {
  return families.get(name);
}
