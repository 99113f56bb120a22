// What providers of the AI SDK are asked, in the words of its `ai` package.

import {
  type EmbeddingModel,
  embedMany,
  generateText,
  jsonSchema,
  type LanguageModel,
  Output,
  stepCountIs,
  streamText,
  tool,
} from 'ai';
import { expect } from 'vitest';
import { weatherQuestion, weatherTool } from '../support/weather-tool.ts';
import { beginReading, type ClientUnderTest, endless, type LongAnswer } from './client-under-test.ts';
import { anna, conversation, imageUrl, look, person, seen, sky, skyAnswer, weatherAnswer } from './questions.ts';

export interface AiSdkKit {
  chat(model?: string): LanguageModel;
  embedding(): EmbeddingModel;
}

const common = { temperature: 0, maxRetries: 0 };

/** The parts of a stream; errors in it are thrown. */
async function* partsOf(result: { readonly fullStream: AsyncIterable<{ type: string }> }) {
  for await (const part of result.fullStream) {
    if (part.type === 'error') throw (part as unknown as { error: unknown }).error;
    if (part.type === 'abort') throw new Error('aborted');
    if (part.type === 'text-delta' || part.type === 'tool-call')
      yield part as { type: string; text?: string; toolName?: string };
  }
}

export function beginAiSdk(kit: AiSdkKit): Promise<LongAnswer> {
  const controller = new AbortController();
  const result = streamText({
    model: kit.chat(endless),
    prompt: 'Go on.',
    maxRetries: 0,
    abortSignal: controller.signal,
    onError: () => {},
  });
  return beginReading(partsOf(result), () => controller.abort());
}

export function aiSdkCells(kit: AiSdkKit): ReturnType<ClientUnderTest['cells']> {
  const { name, description, parameters } = weatherTool.function;
  const asked: unknown[] = [];
  const tools = {
    [name]: tool({
      description,
      inputSchema: jsonSchema<{ location: string }>(structuredClone(parameters) as never),
      execute: async (input) => {
        asked.push(input);
        return weatherAnswer;
      },
    }),
  };
  return {
    async plain() {
      const { text, usage } = await generateText({ ...common, model: kit.chat(), prompt: sky });
      expect(text).toMatch(skyAnswer);
      expect(usage.outputTokens).toBeGreaterThan(5);
    },
    async streamed() {
      const parts: string[] = [];
      for await (const { text } of partsOf(
        streamText({ ...common, model: kit.chat(), prompt: sky, onError: () => {} }),
      ))
        parts.push(text ?? '');
      expect(parts.length).toBeGreaterThan(2);
      expect(parts.join('')).toMatch(skyAnswer);
    },
    async 'multi-turn'() {
      const { text } = await generateText({ ...common, model: kit.chat(), messages: [...conversation] });
      expect(text).toContain('Anna');
    },
    async tools() {
      const { text } = await generateText({
        ...common,
        model: kit.chat(),
        messages: [weatherQuestion],
        tools,
        stopWhen: stepCountIs(2),
      });
      expect(asked).toContainEqual(expect.objectContaining({ location: 'Paris' }));
      expect(text).toMatch(/sunny/);
    },
    async 'tools, streamed'() {
      const seenParts: string[] = [];
      const result = streamText({
        ...common,
        model: kit.chat(),
        messages: [weatherQuestion],
        tools,
        stopWhen: stepCountIs(2),
        onError: () => {},
      });
      for await (const part of partsOf(result)) seenParts.push(part.toolName ?? part.text ?? '');
      expect(seenParts[0]).toBe(name);
      expect(seenParts.slice(1).join('')).toMatch(/sunny/);
    },
    async 'structured output'() {
      const schema = jsonSchema<{ name: string; age: number }>(structuredClone(person) as never);
      const { output } = await generateText({
        ...common,
        model: kit.chat(),
        prompt: anna,
        output: Output.object({ schema }),
      });
      expect(output).toMatchObject({ name: 'Anna', age: 31 });
    },
    async embeddings() {
      const { embeddings } = await embedMany({ model: kit.embedding(), values: ['a fox', 'a river'], maxRetries: 0 });
      expect(embeddings).toHaveLength(2);
      expect(Math.hypot(...(embeddings[0] ?? []))).toBeCloseTo(1, 4);
    },
    async images() {
      const { text } = await generateText({
        ...common,
        model: kit.chat('ember-eyes'),
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: look },
              { type: 'image', image: imageUrl },
            ],
          },
        ],
      });
      expect(text).toMatch(seen);
    },
    async 'wrong model'() {
      const request = generateText({ ...common, model: kit.chat('nobody'), prompt: sky });
      await expect(request).rejects.toMatchObject({
        statusCode: 404,
        responseBody: expect.stringContaining('not found'),
      });
    },
  };
}
