// The clients of test/clients in the major versions of today, which need Node 22. vitest.interop.config.ts finds their
// packages in clients-today.

import { expect, test } from 'vitest';
import { aiSdkAnthropic } from '../clients/ai-sdk-anthropic.ts';
import { type AiSdkKit, aiSdkCells, beginAiSdk } from '../clients/ai-sdk-cells.ts';
import { aiSdkOpenAi } from '../clients/ai-sdk-openai.ts';
import { anthropic } from '../clients/anthropic.ts';
import { testClients } from '../clients/client-matrix.ts';
import type { ClientUnderTest } from '../clients/client-under-test.ts';
import { langChainOllama } from '../clients/langchain-ollama.ts';
import { langChainOpenAi } from '../clients/langchain-openai.ts';
import { ollama } from '../clients/ollama.ts';
import { ollamaAiProvider } from '../clients/ollama-ai-provider.ts';
import { openAi } from '../clients/openai.ts';
import { openAiAgents } from '../clients/openai-agents.ts';
import { openAiCompatible } from '../clients/openai-compatible.ts';
import { openAiResponses } from '../clients/openai-responses.ts';

// Packages of clients-today have no types here.
const { VERSION } = (await import('openai/version' as string)) as { VERSION: string };
const packageName: string = '@ai-sdk/open-responses';
const { createOpenResponses } = (await import(packageName)) as {
  createOpenResponses(options: { name: string; url: string; apiKey: string }): AiSdkKit['chat'];
};

const kitOf = (url: string): AiSdkKit => {
  const provider = createOpenResponses({ name: 'hearth', url: `${url}/v1/responses`, apiKey: 'none' });
  return {
    chat: (model = 'ember') => provider(model),
    embedding() {
      throw new Error('the provider has no embeddings');
    },
  };
};

const openResponses: ClientUnderTest = {
  name: packageName,
  aborts: true,
  begin: (url) => beginAiSdk(kitOf(url)),
  cells(url) {
    const { embeddings: _, ...cells } = aiSdkCells(kitOf(url));
    return cells;
  },
};

test('the packages are not those of test/clients', () => {
  expect(Number.parseInt(VERSION, 10)).toBeGreaterThanOrEqual(7);
});

testClients([
  ollama,
  langChainOllama,
  ollamaAiProvider,
  openAi,
  langChainOpenAi,
  openAiCompatible,
  openAiResponses,
  openAiAgents,
  aiSdkOpenAi,
  openResponses,
  anthropic,
  aiSdkAnthropic,
]);
