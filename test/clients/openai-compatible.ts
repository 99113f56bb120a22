// @ai-sdk/openai-compatible

import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { type AiSdkKit, aiSdkCells, beginAiSdk } from './ai-sdk-cells.ts';
import type { ClientUnderTest } from './client-under-test.ts';

const kit = (url: string): AiSdkKit => {
  const provider = createOpenAICompatible({
    name: 'hearth',
    baseURL: `${url}/v1`,
    supportsStructuredOutputs: true,
    includeUsage: true,
  });
  return { chat: (model = 'ember') => provider(model), embedding: () => provider.textEmbeddingModel('ember') };
};

export const openAiCompatible: ClientUnderTest = {
  name: '@ai-sdk/openai-compatible',
  aborts: true,
  begin: (url) => beginAiSdk(kit(url)),
  cells: (url) => aiSdkCells(kit(url)),
};
