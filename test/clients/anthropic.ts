// @anthropic-ai/sdk, the SDK of that dialect, in both major versions that are in use.

import Anthropic from '@anthropic-ai/sdk';
import { zodOutputFormat } from '@anthropic-ai/sdk/helpers/zod';
import AnthropicZero from 'anthropic-sdk-0';
import { expect } from 'vitest';
import { weatherQuestion, weatherTool } from '../support/weather-tool.ts';
import { beginReading, type ClientUnderTest, endless } from './client-under-test.ts';
import {
  anna,
  conversation,
  image,
  look,
  Person,
  seen,
  sky,
  skyAnswer,
  sum,
  sumAnswer,
  weatherAnswer,
} from './questions.ts';

// Version 1 has no types for the sampling options, but sends them.
const greedy = { model: 'ember', max_tokens: 500, temperature: 0 } as const;
const user = (content: string) => ({ role: 'user' as const, content });
const { name, description, parameters } = weatherTool.function;
const tools = [{ name, description, input_schema: structuredClone(parameters) }] as never;

const textOf = ({ content }: Anthropic.Message): string =>
  content.map((block) => (block.type === 'text' ? block.text : '')).join('');

function createClientUnderTest(clientName: string, Sdk: typeof Anthropic): ClientUnderTest {
  const open = (url: string) => new Sdk({ baseURL: url, apiKey: 'none', maxRetries: 0 });
  return {
    name: clientName,
    aborts: true,
    async begin(url) {
      const stream = open(url).messages.stream({ model: endless, max_tokens: 100_000, messages: [user('Go on.')] });
      return beginReading(stream, () => stream.abort());
    },
    cells(url) {
      const { messages, models } = open(url);
      return {
        async plain() {
          const answer = await messages.create({ ...greedy, messages: [user(sky)] });
          expect([textOf(answer), answer.stop_reason]).toEqual([expect.stringMatching(skyAnswer), 'end_turn']);
          expect(answer.usage.output_tokens).toBeGreaterThan(5);
          expect(answer._request_id).toMatch(/^[0-9a-f]+$/);
          const { input_tokens } = await messages.countTokens({ model: 'ember', messages: [user(sky)] });
          const { input_tokens: sent, cache_read_input_tokens: cached } = answer.usage;
          expect(input_tokens).toBe(sent + (cached ?? 0));
        },
        async streamed() {
          const parts: string[] = [];
          const stream = messages.stream({ ...greedy, messages: [user(sky)] }).on('text', (part) => parts.push(part));
          const answer = await stream.finalMessage();
          expect(parts.length).toBeGreaterThan(2);
          expect([parts.join(''), answer.stop_reason]).toEqual([textOf(answer), 'end_turn']);
          expect(textOf(answer)).toMatch(skyAnswer);
        },
        async 'multi-turn'() {
          expect(textOf(await messages.create({ ...greedy, messages: [...conversation] }))).toContain('Anna');
        },
        async tools() {
          const asked = await messages.create({ ...greedy, messages: [weatherQuestion], tools });
          const call = asked.content.find((block) => block.type === 'tool_use');
          expect([call?.input, asked.stop_reason]).toEqual([
            expect.objectContaining({ location: 'Paris' }),
            'tool_use',
          ]);
          const content = [
            { type: 'tool_result' as const, tool_use_id: call?.id ?? '', content: JSON.stringify(weatherAnswer) },
          ];
          const answer = await messages.create({
            ...greedy,
            messages: [weatherQuestion, { role: 'assistant', content: asked.content }, { role: 'user', content }],
            tools,
          });
          expect(textOf(answer)).toMatch(/sunny/);
        },
        async 'tools, streamed'() {
          const stream = messages.stream({ ...greedy, messages: [weatherQuestion], tools });
          const { content, stop_reason } = await stream.finalMessage();
          const calls = content.filter((block) => block.type === 'tool_use');
          expect([calls, stop_reason]).toMatchObject([[{ name, input: { location: 'Paris' } }], 'tool_use']);
        },
        async 'structured output'() {
          const output_config = { format: zodOutputFormat(Person) };
          const { parsed_output } = await messages.parse({ ...greedy, messages: [user(anna)], output_config });
          expect(parsed_output).toMatchObject({ name: 'Anna', age: 31 });
        },
        async thinking() {
          const thoughts: string[] = [];
          const thinking = { type: 'enabled' as const, budget_tokens: 1024 };
          const stream = messages
            .stream({ ...greedy, max_tokens: 2048, model: 'ember-thinks', messages: [user(sum)], thinking })
            .on('thinking', (part) => thoughts.push(part));
          const answer = await stream.finalMessage();
          expect(answer.content.map(({ type }) => type)).toEqual(['thinking', 'text']);
          expect([thoughts.join(''), textOf(answer)]).toEqual([
            expect.stringMatching(/\S/),
            expect.stringMatching(sumAnswer),
          ]);
        },
        async images() {
          const source = { type: 'base64' as const, media_type: 'image/png' as const, data: image.toString('base64') };
          const content = [
            { type: 'image' as const, source },
            { type: 'text' as const, text: look },
          ];
          const answer = await messages.create({
            ...greedy,
            model: 'ember-eyes',
            messages: [{ role: 'user', content }],
          });
          expect(textOf(answer)).toMatch(seen);
        },
        async list() {
          const ids: string[] = [];
          for await (const { id, type } of models.list()) if (type === 'model') ids.push(id);
          expect(ids).toContain('ember:latest');
        },
        async show() {
          expect(await models.retrieve('ember')).toMatchObject({ id: 'ember', type: 'model' });
        },
        async 'wrong model'() {
          const request = { ...greedy, model: 'nobody', messages: [user(sky)] };
          await expect(messages.create(request)).rejects.toBeInstanceOf(Sdk.NotFoundError);
          await expect(messages.stream(request).finalMessage()).rejects.toMatchObject({ type: 'not_found_error' });
          const long = { ...greedy, messages: [user('word '.repeat(20_000))] };
          await expect(messages.create(long)).rejects.toThrow(/prompt is too long: \d+ tokens > \d+ maximum/);
        },
      };
    },
  };
}

export const anthropic = createClientUnderTest('@anthropic-ai/sdk', Anthropic);
export const anthropicZero = createClientUnderTest(
  '@anthropic-ai/sdk 0.x',
  AnthropicZero as unknown as typeof Anthropic,
);
