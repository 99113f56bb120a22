// ollama, the SDK of Ollama.

import { Ollama } from 'ollama';
import { expect } from 'vitest';
import { weatherQuestion, weatherTool } from '../support/weather-tool.ts';
import { beginReading, type ClientUnderTest, endless } from './client-under-test.ts';
import {
  anna,
  conversation,
  image,
  look,
  person,
  seen,
  sky,
  skyAnswer,
  sum,
  sumAnswer,
  weatherAnswer,
} from './questions.ts';

const greedy = { model: 'ember', options: { temperature: 0 } };
const user = (content: string) => ({ role: 'user', content });
// Its types want a mutable tool.
const tools = [structuredClone(weatherTool)] as never;

export const ollama: ClientUnderTest = {
  name: 'ollama',
  aborts: true,
  async begin(host) {
    const stream = await new Ollama({ host }).chat({ model: endless, messages: [user('Go on.')], stream: true });
    return beginReading(stream, () => stream.abort());
  },
  cells(host, registry) {
    const client = new Ollama({ host });
    return {
      async plain() {
        const { message, done, eval_count } = await client.chat({ ...greedy, messages: [user(sky)] });
        expect([message.content, done]).toEqual([expect.stringMatching(skyAnswer), true]);
        expect(eval_count).toBeGreaterThan(5);
        const { response } = await client.generate({ ...greedy, prompt: sky, think: false });
        expect(response).toMatch(skyAnswer);
      },
      async streamed() {
        const parts: string[] = [];
        for await (const { message } of await client.chat({ ...greedy, messages: [user(sky)], stream: true }))
          parts.push(message.content);
        let generated = '';
        for await (const { response } of await client.generate({ ...greedy, prompt: sky, stream: true }))
          generated += response;
        expect(parts.length).toBeGreaterThan(2);
        expect([parts.join(''), generated]).toEqual([
          expect.stringMatching(skyAnswer),
          expect.stringMatching(skyAnswer),
        ]);
      },
      async 'multi-turn'() {
        const { message } = await client.chat({ ...greedy, messages: [...conversation] });
        expect(message.content).toContain('Anna');
      },
      async tools() {
        const first = await client.chat({ ...greedy, messages: [weatherQuestion], tools });
        const call = first.message.tool_calls?.[0];
        expect(call?.function).toMatchObject({ name: 'get_current_weather', arguments: { location: 'Paris' } });
        const answer = { role: 'tool', content: JSON.stringify(weatherAnswer), tool_name: 'get_current_weather' };
        const messages = [weatherQuestion, first.message, answer];
        expect((await client.chat({ ...greedy, messages, tools })).message.content).toMatch(/sunny/);
      },
      async 'tools, streamed'() {
        const calls: string[] = [];
        for await (const { message } of await client.chat({
          ...greedy,
          messages: [weatherQuestion],
          tools,
          stream: true,
        }))
          for (const call of message.tool_calls ?? []) calls.push(call.function.name);
        expect(calls).toEqual(['get_current_weather']);
      },
      async 'structured output'() {
        const { message } = await client.chat({ ...greedy, messages: [user(anna)], format: person });
        expect(JSON.parse(message.content)).toMatchObject({ name: 'Anna', age: 31 });
      },
      async thinking() {
        const request = { ...greedy, model: 'ember-thinks', messages: [user(sum)], think: true };
        const { message } = await client.chat(request);
        expect([message.thinking, message.content]).toEqual([
          expect.stringMatching(/\S/),
          expect.stringMatching(sumAnswer),
        ]);
      },
      async embeddings() {
        const { embeddings, prompt_eval_count } = await client.embed({ model: 'ember', input: ['a fox', 'a river'] });
        expect(embeddings.map((vector) => vector.length)).toEqual([embeddings[0]?.length, embeddings[0]?.length]);
        expect(prompt_eval_count).toBeGreaterThan(2);
        expect((await client.embeddings({ model: 'ember', prompt: 'a fox' })).embedding.length).toBeGreaterThan(8);
      },
      async images() {
        const messages = [{ ...user(look), images: [image] }];
        const { message } = await client.chat({ ...greedy, model: 'ember-eyes', messages });
        expect(message.content).toMatch(seen);
      },
      async list() {
        expect((await client.list()).models.map(({ name }) => name)).toContain('ember:latest');
        expect((await client.ps()).models.length).toBeGreaterThan(0);
        expect((await client.version()).version).toMatch(/^\d+\.\d+\.\d+$/);
      },
      async show() {
        const shown = await client.show({ model: 'ember' });
        expect(shown.capabilities).toContain('tools');
        expect(shown.model_info).toBeTypeOf('object');
      },
      async create() {
        const made = await client.create({ model: 'bill', from: 'ember', system: 'You are a pirate named Bill.' });
        expect(made.status).toBe('success');
        const { message } = await client.chat({ ...greedy, model: 'bill', messages: [user('Who are you?')] });
        expect(message.content).toContain('Bill');
        await client.copy({ source: 'bill', destination: 'bill2' });
        const statuses: string[] = [];
        for await (const { status } of await client.create({ model: 'bill3', from: 'bill', stream: true }))
          statuses.push(status);
        expect(statuses.at(-1)).toBe('success');
      },
      async delete() {
        await client.create({ model: 'gone', from: 'ember' });
        await client.delete({ model: 'gone' });
        await expect(client.show({ model: 'gone' })).rejects.toThrow('not found');
      },
      async push() {
        await client.copy({ source: 'ember', destination: `${registry}/team/ember` });
        const statuses: string[] = [];
        const request = { model: `${registry}/team/ember`, insecure: true };
        for await (const { status } of await client.push({ ...request, stream: true })) statuses.push(status);
        expect([statuses[0], statuses.at(-1)]).toEqual(['retrieving manifest', 'success']);
        expect((await client.push(request)).status).toBe('success');
      },
      async pull() {
        const request = { model: `${registry}/team/ember`, insecure: true };
        await client.delete({ model: request.model });
        const statuses: string[] = [];
        for await (const { status } of await client.pull({ ...request, stream: true })) statuses.push(status);
        expect([statuses[0], statuses.at(-1)]).toEqual(['pulling manifest', 'success']);
        expect((await client.pull(request)).status).toBe('success');
        expect((await client.show({ model: request.model })).capabilities).toContain('tools');
      },
      async 'wrong model'() {
        await expect(client.chat({ model: 'nobody', messages: [user(sky)] })).rejects.toThrow('not found');
        const streamed = client.chat({ model: 'nobody', messages: [user(sky)], stream: true });
        await expect(streamed).rejects.toMatchObject({ status_code: 404 });
      },
    };
  },
};
