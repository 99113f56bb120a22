// Answers that are all content.

import type { ParserFamily } from './answer-parser.ts';
import { combineParsers } from './combine-parsers.ts';

export const passthroughParser: ParserFamily = {
  supportsTools: false,
  supportsThinking: false,
  controlTokens: [],
  open: () => combineParsers(),
};
