// Which dialect answers a path that has no route.

import type { DialectTable } from '../http/dialect.ts';
import { anthropicDialect, anthropicPrefix } from './anthropic/dialect.ts';
import { ollamaDialect } from './ollama/dialect.ts';
import { openAiDialect, openAiPrefix } from './openai/dialect.ts';
import { cohereDialect, coherePrefix } from './rerank/cohere-dialect.ts';

export const dialectTable: DialectTable = {
  fallback: ollamaDialect,
  prefixes: { [openAiPrefix]: openAiDialect, [anthropicPrefix]: anthropicDialect, [coherePrefix]: cohereDialect },
};
