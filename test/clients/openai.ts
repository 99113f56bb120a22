// openai, the SDK of that dialect.

import OpenAI from 'openai';
import { zodResponseFormat } from 'openai/helpers/zod';
import { expect } from 'vitest';
import { chatml } from '../support/client.ts';
import { weatherQuestion, weatherTool } from '../support/weather-tool.ts';
import { beginReading, type ClientUnderTest, endless } from './client-under-test.ts';
import { openOpenAi } from './open-openai.ts';
import { anna, conversation, imageUrl, look, Person, seen, sky, skyAnswer, weatherAnswer } from './questions.ts';

const greedy = { model: 'ember', temperature: 0 };
const user = (content: string) => ({ role: 'user' as const, content });
const tools = [structuredClone(weatherTool)] as never;

export const openAi: ClientUnderTest = {
  name: 'openai',
  aborts: true,
  async begin(url) {
    const stream = await openOpenAi(url).chat.completions.create({
      model: endless,
      messages: [user('Go on.')],
      stream: true,
    });
    return beginReading(withoutSilentEnd(stream), () => stream.controller.abort());
  },
  cells(url) {
    const client = openOpenAi(url);
    const { completions } = client.chat;
    return {
      async plain() {
        const { choices, usage } = await completions.create({ ...greedy, messages: [user(sky)] });
        expect(choices[0]?.message.content).toMatch(skyAnswer);
        expect(usage?.completion_tokens).toBeGreaterThan(5);
        const { choices: texts } = await client.completions.create({ ...greedy, prompt: chatml(sky) });
        expect(texts[0]?.text).toMatch(skyAnswer);
      },
      async streamed() {
        const options = { stream: true, stream_options: { include_usage: true } } as const;
        const parts: string[] = [];
        let tokens = 0;
        for await (const chunk of await completions.create({ ...greedy, messages: [user(sky)], ...options })) {
          parts.push(chunk.choices[0]?.delta.content ?? '');
          tokens = chunk.usage?.completion_tokens ?? tokens;
        }
        expect(parts.length).toBeGreaterThan(2);
        expect([parts.join(''), tokens > 5]).toEqual([expect.stringMatching(skyAnswer), true]);
        let text = '';
        for await (const { choices } of await client.completions.create({
          ...greedy,
          prompt: chatml(sky),
          stream: true,
        }))
          text += choices[0]?.text ?? '';
        expect(text).toMatch(skyAnswer);
      },
      async 'multi-turn'() {
        const { choices } = await completions.create({ ...greedy, messages: [...conversation] });
        expect(choices[0]?.message.content).toContain('Anna');
      },
      async tools() {
        const asked: unknown[] = [];
        const runner = completions.runTools({
          ...greedy,
          messages: [weatherQuestion],
          tools: [
            {
              type: 'function',
              function: {
                ...structuredClone(weatherTool.function),
                parse: JSON.parse,
                function: (input: unknown) => {
                  asked.push(input);
                  return JSON.stringify(weatherAnswer);
                },
              } as never,
            },
          ],
        });
        expect(await runner.finalContent()).toMatch(/sunny/);
        expect(asked).toContainEqual(expect.objectContaining({ location: 'Paris' }));
      },
      async 'tools, streamed'() {
        const stream = completions.stream({ ...greedy, messages: [weatherQuestion], tools });
        const { message, finish_reason } = (await stream.finalChatCompletion()).choices[0] ?? {};
        const names = message?.tool_calls?.map((call) => (call.type === 'function' ? call.function.name : call.type));
        expect([names, finish_reason]).toEqual([['get_current_weather'], 'tool_calls']);
      },
      async 'structured output'() {
        const response_format = zodResponseFormat(Person, 'person');
        const { choices } = await completions.parse({ ...greedy, messages: [user(anna)], response_format });
        expect(choices[0]?.message.parsed).toMatchObject({ name: 'Anna', age: 31 });
      },
      async embeddings() {
        // It asks for base64 by itself, and decodes it.
        const { data } = await client.embeddings.create({ model: 'ember', input: ['a fox', 'a river'] });
        expect(data.map(({ embedding }) => Math.hypot(...embedding).toFixed(3))).toEqual(['1.000', '1.000']);
      },
      async images() {
        const content = [
          { type: 'text' as const, text: look },
          { type: 'image_url' as const, image_url: { url: imageUrl } },
        ];
        const { choices } = await completions.create({
          ...greedy,
          model: 'ember-eyes',
          messages: [{ role: 'user', content }],
        });
        expect(choices[0]?.message.content).toMatch(seen);
      },
      async list() {
        const ids: string[] = [];
        for await (const { id } of client.models.list()) ids.push(id);
        expect(ids).toContain('ember:latest');
      },
      async show() {
        expect(await client.models.retrieve('ember')).toMatchObject({ id: 'ember', object: 'model' });
      },
      async delete() {
        await fetch(`${url}/api/copy`, {
          method: 'POST',
          body: JSON.stringify({ source: 'ember', destination: 'unwanted' }),
        });
        expect(await client.models.delete('unwanted')).toEqual({ id: 'unwanted', object: 'model', deleted: true });
        await expect(client.models.retrieve('unwanted')).rejects.toThrow('not found');
      },
      async 'wrong model'() {
        const request = completions.create({ ...greedy, model: 'nobody', messages: [user(sky)] });
        await expect(request).rejects.toBeInstanceOf(OpenAI.NotFoundError);
        await expect(client.models.retrieve('nobody')).rejects.toThrow('not found');
      },
    };
  },
};

/** The SDK ends an aborted stream without a word. */
async function* withoutSilentEnd<Chunk extends { readonly choices: readonly { finish_reason: string | null }[] }>(
  stream: AsyncIterable<Chunk>,
): AsyncGenerator<Chunk> {
  let finished = false;
  for await (const chunk of stream) {
    finished ||= chunk.choices.some(({ finish_reason }) => finish_reason !== null);
    yield chunk;
  }
  if (!finished) throw new Error('the stream ended early');
}
