// The descriptions and examples of all operations, for the documentation. A route without a row fails a test.

import type { OperationTable } from '../../http/openapi/operation.ts';
import { anthropicOperations } from './anthropic-operations.ts';
import { chatOperations } from './chat-operations.ts';
import { generationOperations } from './generation-operations.ts';
import { modelOperations } from './model-operations.ts';
import { openAiOperations } from './openai-operations.ts';
import { rerankOperations } from './rerank-operations.ts';
import { serverOperations } from './server-operations.ts';

export const operationTable: OperationTable = {
  ...generationOperations,
  ...modelOperations,
  ...chatOperations,
  ...serverOperations,
  ...openAiOperations,
  ...anthropicOperations,
  ...rerankOperations,
};
