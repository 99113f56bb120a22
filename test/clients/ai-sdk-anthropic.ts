// @ai-sdk/anthropic

import { type AnthropicProvider, createAnthropic } from '@ai-sdk/anthropic';
import { generateText, streamText } from 'ai';
import { expect } from 'vitest';
import { type AiSdkKit, aiSdkCells, beginAiSdk } from './ai-sdk-cells.ts';
import type { ClientUnderTest } from './client-under-test.ts';
import { sum, sumAnswer } from './questions.ts';

const open = (url: string): AnthropicProvider => createAnthropic({ baseURL: `${url}/v1`, apiKey: 'none' });
const kitOf = (provider: AnthropicProvider): AiSdkKit => ({
  chat: (model = 'ember') => provider(model),
  embedding() {
    throw new Error('the provider has no embeddings');
  },
});

export const aiSdkAnthropic: ClientUnderTest = {
  name: '@ai-sdk/anthropic',
  aborts: true,
  begin: (url) => beginAiSdk(kitOf(open(url))),
  cells(url) {
    const provider = open(url);
    const { embeddings: _, ...cells } = aiSdkCells(kitOf(provider));
    return {
      ...cells,
      async thinking() {
        const thinking = { type: 'enabled', budgetTokens: 1024 };
        const request = {
          model: provider('ember-thinks'),
          prompt: sum,
          maxRetries: 0,
          providerOptions: { anthropic: { thinking } },
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
