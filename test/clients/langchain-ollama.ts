// @langchain/ollama

import { ChatOllama, OllamaEmbeddings } from '@langchain/ollama';
import type { ClientUnderTest } from './client-under-test.ts';
import { beginLangChain, type LangChainKit, langChainCells } from './langchain-cells.ts';

const kit = (baseUrl: string): LangChainKit => ({
  chat: (model = 'ember') => new ChatOllama({ baseUrl, model, temperature: 0, maxRetries: 0 }),
  embeddings: () => new OllamaEmbeddings({ baseUrl, model: 'ember', maxRetries: 0 }),
});

export const langChainOllama: ClientUnderTest = {
  name: '@langchain/ollama',
  aborts: true,
  begin: (url) => beginLangChain(kit(url)),
  cells: (url) => langChainCells(kit(url)),
};
