// openai, with its Responses API.

import OpenAI from 'openai';
import { zodTextFormat } from 'openai/helpers/zod';
import { expect } from 'vitest';
import { weatherQuestion, weatherTool } from '../support/weather-tool.ts';
import { beginReading, type ClientUnderTest, endless } from './client-under-test.ts';
import { openOpenAi } from './open-openai.ts';
import {
  anna,
  conversation,
  imageUrl,
  look,
  Person,
  seen,
  sky,
  skyAnswer,
  sum,
  sumAnswer,
  weatherAnswer,
} from './questions.ts';

const greedy = { model: 'ember', temperature: 0 };
const tools = [{ type: 'function', strict: false, ...structuredClone(weatherTool.function) }] as never;

export const openAiResponses: ClientUnderTest = {
  name: 'openai responses',
  aborts: true,
  async begin(url) {
    const stream = await openOpenAi(url).responses.create({ model: endless, input: 'Go on.', stream: true });
    return beginReading(withoutSilentEnd(stream), () => stream.controller.abort());
  },
  cells(url) {
    const { responses } = openOpenAi(url);
    return {
      async plain() {
        const response = await responses.create({ ...greedy, input: sky });
        expect([response.output_text, response.status]).toEqual([expect.stringMatching(skyAnswer), 'completed']);
        expect(response.usage?.output_tokens).toBeGreaterThan(5);
        expect((await responses.retrieve(response.id)).output_text).toBe(response.output_text);
        const { input_tokens } = await responses.inputTokens.count({ model: 'ember', input: sky });
        expect(input_tokens).toBe(response.usage?.input_tokens);
        await responses.delete(response.id);
        await expect(responses.retrieve(response.id)).rejects.toBeInstanceOf(OpenAI.NotFoundError);
      },
      async streamed() {
        const parts: string[] = [];
        const stream = responses.stream({ ...greedy, input: sky });
        stream.on('response.output_text.delta', ({ delta }) => parts.push(delta));
        const { output_text, status } = await stream.finalResponse();
        expect(parts.length).toBeGreaterThan(2);
        expect([parts.join(''), status]).toEqual([output_text, 'completed']);
        expect(output_text).toMatch(skyAnswer);
      },
      async 'multi-turn'() {
        const { output_text } = await responses.create({ ...greedy, input: [...conversation] });
        expect(output_text).toContain('Anna');
        const first = await responses.create({ ...greedy, input: conversation[0].content });
        const second = await responses.create({
          ...greedy,
          input: conversation[2].content,
          previous_response_id: first.id,
        });
        expect(second.output_text).toContain('Anna');
        const { data } = await responses.inputItems.list(second.id, { order: 'asc' });
        expect(data).toHaveLength(3);
      },
      async tools() {
        const asked = await responses.create({ ...greedy, input: [weatherQuestion], tools });
        const call = asked.output.find((item) => item.type === 'function_call');
        expect(JSON.parse(call?.arguments ?? '{}')).toMatchObject({ location: 'Paris' });
        const result = {
          type: 'function_call_output' as const,
          call_id: call?.call_id ?? '',
          output: JSON.stringify(weatherAnswer),
        };
        const request = { ...greedy, tools, input: [result], previous_response_id: asked.id };
        expect((await responses.create(request)).output_text).toMatch(/sunny/);
      },
      async 'tools, streamed'() {
        const stream = responses.stream({ ...greedy, input: [weatherQuestion], tools });
        const { output } = await stream.finalResponse();
        expect(output.filter(({ type }) => type === 'function_call')).toMatchObject([
          { name: weatherTool.function.name, status: 'completed' },
        ]);
      },
      async 'structured output'() {
        const text = { format: zodTextFormat(Person, 'person') };
        const { output_parsed } = await responses.parse({ ...greedy, input: anna, text });
        expect(output_parsed).toMatchObject({ name: 'Anna', age: 31 });
      },
      async thinking() {
        const request = { ...greedy, model: 'ember-thinks', input: sum };
        for (const reasoning of [{}, { summary: 'auto' as const }]) {
          const { output, output_text } = await responses.stream({ ...request, reasoning }).finalResponse();
          expect([output.map(({ type }) => type), output_text]).toEqual([
            ['reasoning', 'message'],
            expect.stringMatching(sumAnswer),
          ]);
        }
      },
      async images() {
        const content = [
          { type: 'input_text' as const, text: look },
          { type: 'input_image' as const, image_url: imageUrl, detail: 'auto' as const },
        ];
        const request = { ...greedy, model: 'ember-eyes', input: [{ role: 'user' as const, content }] };
        expect((await responses.create(request)).output_text).toMatch(seen);
      },
      async 'wrong model'() {
        const request = { ...greedy, model: 'nobody', input: sky };
        await expect(responses.create(request)).rejects.toBeInstanceOf(OpenAI.NotFoundError);
        await expect(responses.stream(request).finalResponse()).rejects.toBeInstanceOf(OpenAI.NotFoundError);
        const long = responses.create({ ...greedy, input: 'word '.repeat(20_000) });
        await expect(long).rejects.toMatchObject({ code: 'context_length_exceeded' });
      },
    };
  },
};

/** The SDK ends an aborted stream without a word. */
async function* withoutSilentEnd<Event extends { readonly type: string }>(
  stream: AsyncIterable<Event>,
): AsyncGenerator<Event> {
  let finished = false;
  for await (const event of stream) {
    finished ||= event.type === 'response.completed';
    if (event.type.endsWith('.delta')) yield event;
  }
  if (!finished) throw new Error('the stream ended early');
}
