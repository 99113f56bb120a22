// ollama-ai-provider-v2, for the AI SDK

import { createOllama } from 'ollama-ai-provider-v2';
import { type AiSdkKit, aiSdkCells, beginAiSdk } from './ai-sdk-cells.ts';
import type { ClientUnderTest } from './client-under-test.ts';

const kit = (url: string): AiSdkKit => {
  const provider = createOllama({ baseURL: `${url}/api` });
  return { chat: (model = 'ember') => provider(model), embedding: () => provider.textEmbeddingModel('ember') };
};

export const ollamaAiProvider: ClientUnderTest = {
  name: 'ollama-ai-provider-v2',
  aborts: true,
  begin: (url) => beginAiSdk(kit(url)),
  cells: (url) => aiSdkCells(kit(url)),
};
