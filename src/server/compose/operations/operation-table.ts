// The descriptions and examples of all operations, for the documentation. A route without a row fails a test.

import { serverFeatures } from '../../../features/server-features.ts';
import type { OperationTable } from '../../http/openapi/operation.ts';
import { anthropicOperations } from './anthropic-operations.ts';
import { generationOperations } from './generation-operations.ts';
import { llamaServerOperations } from './llama-server-operations.ts';
import { modelOperations } from './model-operations.ts';
import { openAiOperations } from './openai-operations.ts';
import { rerankOperations } from './rerank-operations.ts';
import { serverOperations } from './server-operations.ts';

export const operationTable: OperationTable = {
  ...generationOperations,
  ...modelOperations,
  ...serverOperations,
  ...openAiOperations,
  ...anthropicOperations,
  ...rerankOperations,
  ...llamaServerOperations,
  ...Object.assign({}, ...serverFeatures.map(({ operations }) => operations)),
};
