// genkit with genkitx-ollama

import { genkit, z } from 'genkit';
import { ollama as plugin } from 'genkitx-ollama';
import { expect } from 'vitest';
import { weatherQuestion, weatherTool } from '../support/weather-tool.ts';
import { beginReading, type ClientUnderTest, endless } from './client-under-test.ts';
import { conversation, imageUrl, look, seen, sky, skyAnswer, weatherAnswer } from './questions.ts';

const open = (serverAddress: string) =>
  genkit({
    plugins: [
      plugin({
        serverAddress,
        models: [
          { name: 'ember', type: 'chat', supports: { tools: true } },
          { name: 'ember:latest', type: 'generate' },
          { name: 'ember-eyes' },
          { name: endless },
          { name: 'nobody' },
        ],
        embedders: [{ name: 'ember', dimensions: 8 }],
      }),
    ],
  });
const ember = 'ollama/ember';
const config = { temperature: 0 };

export const genkitOllama: ClientUnderTest = {
  name: 'genkitx-ollama',
  aborts: false,
  begin(url) {
    const { stream, response } = open(url).generateStream({ model: `ollama/${endless}`, prompt: 'Go on.' });
    response.catch(() => {});
    return beginReading(stream);
  },
  cells(url) {
    const ai = open(url);
    return {
      async plain() {
        expect((await ai.generate({ model: ember, prompt: sky, config })).text).toMatch(skyAnswer);
        // It sends the texts that end an answer as one.
        const stop = { ...config, stopSequences: ['###'] };
        const completed = await ai.generate({ model: 'ollama/ember:latest', prompt: sky, config: stop });
        expect(completed.text).toMatch(skyAnswer);
      },
      async streamed() {
        const { stream, response } = ai.generateStream({ model: ember, prompt: sky, config });
        const parts: string[] = [];
        for await (const { text } of stream) parts.push(text);
        expect(parts.length).toBeGreaterThan(2);
        expect([parts.join(''), (await response).text]).toEqual([
          expect.stringMatching(skyAnswer),
          expect.stringMatching(skyAnswer),
        ]);
      },
      async 'multi-turn'() {
        const turns = conversation.map(({ role, content }) => ({
          role: role === 'user' ? ('user' as const) : ('model' as const),
          content: [{ text: content }],
        }));
        expect((await ai.generate({ model: ember, messages: turns, config })).text).toContain('Anna');
      },
      async tools() {
        const asked: unknown[] = [];
        const { name, description } = weatherTool.function;
        const weather = ai.defineTool(
          {
            name,
            description,
            inputSchema: z.object({
              location: z.string().describe('The location to get the weather for, e.g. San Francisco, CA'),
            }),
          },
          async (input) => {
            asked.push(input);
            return weatherAnswer;
          },
        );
        const { text } = await ai.generate({ model: ember, prompt: weatherQuestion.content, tools: [weather], config });
        expect(asked).toContainEqual(expect.objectContaining({ location: 'Paris' }));
        expect(text).toMatch(/sunny/);
      },
      // No structured output: the plugin sends no `format`, it only asks for JSON in the prompt. Its streams leave calls out.
      async embeddings() {
        const [vector] = await ai.embed({ embedder: ember, content: 'a fox' });
        expect(vector?.embedding.length).toBeGreaterThan(8);
      },
      async images() {
        const prompt = [{ text: look }, { media: { url: imageUrl, contentType: 'image/png' } }];
        expect((await ai.generate({ model: 'ollama/ember-eyes', prompt, config })).text).toMatch(seen);
      },
      async list() {
        const actions = await ai.registry.listResolvableActions();
        expect(Object.keys(actions)).toContain('/model/ollama/ember:latest');
      },
      async 'wrong model'() {
        await expect(ai.generate({ model: 'ollama/nobody', prompt: sky, config })).rejects.toThrow('not found');
      },
    };
  },
};
