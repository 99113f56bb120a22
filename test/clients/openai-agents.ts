// @openai/agents, which uses the Responses API.

import { Agent, OpenAIProvider, Runner, tool } from '@openai/agents';
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

function open(url: string): Runner {
  // Its packages may have another copy of the SDK.
  const openAIClient = openOpenAi(url) as never;
  const modelProvider = new OpenAIProvider({ openAIClient, useResponses: true });
  return new Runner({ modelProvider, tracingDisabled: true });
}

const agentOf = (fields: Partial<ConstructorParameters<typeof Agent>[0]> = {}) =>
  new Agent({ name: 'Ember', model: 'ember', modelSettings: { temperature: 0 }, ...fields });

const message = (role: 'user' | 'assistant', text: string) =>
  role === 'user'
    ? { role, content: text }
    : { role, status: 'completed' as const, content: [{ type: 'output_text' as const, text }] };

export const openAiAgents: ClientUnderTest = {
  name: '@openai/agents',
  aborts: true,
  async begin(url) {
    const controller = new AbortController();
    const run = await open(url).run(agentOf({ model: endless }), 'Go on.', {
      stream: true,
      signal: controller.signal,
    });
    const read = async function* () {
      for await (const event of run)
        if (event.type === 'raw_model_stream_event' && event.data.type === 'output_text_delta') yield event;
      await run.completed;
      throw new Error('the stream ended early');
    };
    return beginReading(read(), () => controller.abort());
  },
  cells(url) {
    const runner = open(url);
    const asked: unknown[] = [];
    const { name, description, parameters } = weatherTool.function;
    const weather = tool({
      name,
      description,
      parameters: structuredClone(parameters) as never,
      strict: false,
      execute: async (input: unknown) => {
        asked.push(input);
        return JSON.stringify(weatherAnswer);
      },
    });
    return {
      async plain() {
        const { finalOutput, state } = await runner.run(agentOf(), sky);
        expect(finalOutput).toMatch(skyAnswer);
        expect(state.usage.outputTokens).toBeGreaterThan(5);
      },
      async streamed() {
        const run = await runner.run(agentOf(), sky, { stream: true });
        const parts: string[] = [];
        for await (const part of run.toTextStream()) parts.push(part);
        await run.completed;
        expect(parts.length).toBeGreaterThan(2);
        expect(run.finalOutput).toBe(parts.join(''));
        expect(run.finalOutput).toMatch(skyAnswer);
      },
      async 'multi-turn'() {
        const history = conversation.map(({ role, content }) => message(role, content));
        expect((await runner.run(agentOf(), history)).finalOutput).toContain('Anna');
      },
      async tools() {
        const { finalOutput } = await runner.run(agentOf({ tools: [weather] }), weatherQuestion.content);
        expect(asked).toContainEqual(expect.objectContaining({ location: 'Paris' }));
        expect(finalOutput).toMatch(/sunny/);
      },
      async 'tools, streamed'() {
        const run = await runner.run(agentOf({ tools: [weather] }), weatherQuestion.content, { stream: true });
        await run.completed;
        expect(run.newItems.map(({ type }) => type)).toEqual(
          expect.arrayContaining(['tool_call_item', 'tool_call_output_item', 'message_output_item']),
        );
        expect(run.finalOutput).toMatch(/sunny/);
      },
      async 'structured output'() {
        const { finalOutput } = await runner.run(agentOf({ outputType: Person as never }), anna);
        expect(finalOutput).toMatchObject({ name: 'Anna', age: 31 });
      },
      async thinking() {
        const { finalOutput, newItems } = await runner.run(agentOf({ model: 'ember-thinks' }), sum);
        expect(newItems.map(({ type }) => type)).toContain('reasoning_item');
        expect(finalOutput).toMatch(sumAnswer);
      },
      async images() {
        const content = [
          { type: 'input_text' as const, text: look },
          { type: 'input_image' as const, image: imageUrl },
        ];
        const { finalOutput } = await runner.run(agentOf({ model: 'ember-eyes' }), [{ role: 'user', content }]);
        expect(finalOutput).toMatch(seen);
      },
      async 'wrong model'() {
        await expect(runner.run(agentOf({ model: 'nobody' }), sky)).rejects.toMatchObject({ status: 404 });
      },
    };
  },
};
