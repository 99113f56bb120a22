// Which dialect answers a path that has no route.

import { anthropicDialect, anthropicPrefix } from '../dialects/anthropic/dialect.ts';
import { cohereDialect, coherePrefix } from '../dialects/rerank/cohere-dialect.ts';
import { ollamaDialect } from '../dialects/shared/ollama-dialect.ts';
import { openAiDialect, openAiPrefix } from '../dialects/shared/openai-dialect.ts';
import type { DialectTable } from '../http/dialect.ts';

export const dialectTable: DialectTable = {
  fallback: ollamaDialect,
  prefixes: { [openAiPrefix]: openAiDialect, [anthropicPrefix]: anthropicDialect, [coherePrefix]: cohereDialect },
};
