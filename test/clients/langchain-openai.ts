// @langchain/openai

import { ChatOpenAI, OpenAIEmbeddings } from '@langchain/openai';
import type { ClientUnderTest } from './client-under-test.ts';
import { beginLangChain, type LangChainKit, langChainCells } from './langchain-cells.ts';

const kit = (url: string): LangChainKit => {
  const common = { apiKey: 'none', configuration: { baseURL: `${url}/v1` }, maxRetries: 0 };
  return {
    chat: (model = 'ember') => new ChatOpenAI({ ...common, model, temperature: 0 }),
    embeddings: () => new OpenAIEmbeddings({ ...common, model: 'ember' }),
  };
};

export const langChainOpenAi: ClientUnderTest = {
  name: '@langchain/openai',
  aborts: true,
  begin: (url) => beginLangChain(kit(url)),
  cells: (url) => langChainCells(kit(url)),
};
