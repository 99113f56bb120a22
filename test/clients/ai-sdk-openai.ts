// @ai-sdk/openai, which uses the Responses API.

import { createOpenAI, type OpenAIProvider } from '@ai-sdk/openai';
import { generateText, streamText } from 'ai';
import { expect } from 'vitest';
import { type AiSdkKit, aiSdkCells, beginAiSdk } from './ai-sdk-cells.ts';
import type { ClientUnderTest } from './client-under-test.ts';
import { sum, sumAnswer } from './questions.ts';

const open = (url: string): OpenAIProvider => createOpenAI({ baseURL: `${url}/v1`, apiKey: 'none' });
const kitOf = (provider: OpenAIProvider): AiSdkKit => ({
  chat: (model = 'ember') => provider(model),
  embedding: () => provider.textEmbeddingModel('ember'),
});

export const aiSdkOpenAi: ClientUnderTest = {
  name: '@ai-sdk/openai',
  aborts: true,
  begin: (url) => beginAiSdk(kitOf(open(url))),
  cells(url) {
    const provider = open(url);
    return {
      ...aiSdkCells(kitOf(provider)),
      async thinking() {
        const request = {
          model: provider('ember-thinks'),
          prompt: sum,
          maxRetries: 0,
          // It knows which models of OpenAI think, and no others.
          providerOptions: { openai: { forceReasoning: true, reasoningSummary: 'auto' } },
        };
        const { reasoningText, text } = await generateText(request);
        expect([reasoningText, text]).toEqual([expect.stringMatching(/\S/), expect.stringMatching(sumAnswer)]);
        const types: string[] = [];
        for await (const { type } of streamText(request).fullStream) if (/-(start|end)$/.test(type)) types.push(type);
        expect(types).toEqual(['reasoning-start', 'reasoning-end', 'text-start', 'text-end']);
      },
    };
  },
};
