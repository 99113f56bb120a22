// What both of LangChain's clients are asked, in LangChain's words.

import type { EmbeddingsInterface } from '@langchain/core/embeddings';
import type { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { AIMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import { expect } from 'vitest';
import { weatherQuestion, weatherTool } from '../support/weather-tool.ts';
import { beginReading, type ClientUnderTest, endless, type LongAnswer } from './client-under-test.ts';
import { anna, conversation, imageUrl, look, person, seen, sky, skyAnswer, weatherAnswer } from './questions.ts';

export interface LangChainKit {
  chat(model?: string): BaseChatModel;
  embeddings(): EmbeddingsInterface;
}

export async function beginLangChain(kit: LangChainKit): Promise<LongAnswer> {
  const controller = new AbortController();
  const stream = await kit.chat(endless).stream('Go on.', { signal: controller.signal });
  return beginReading(stream, () => controller.abort());
}

export function langChainCells(kit: LangChainKit): ReturnType<ClientUnderTest['cells']> {
  const question = new HumanMessage(weatherQuestion.content);
  const withTools = () => {
    const bound = kit.chat().bindTools?.([structuredClone(weatherTool)]);
    if (bound === undefined) throw new Error('this model cannot be given tools');
    return bound;
  };
  return {
    async plain() {
      const { content, usage_metadata } = await kit.chat().invoke(sky);
      expect(content).toMatch(skyAnswer);
      expect((usage_metadata as { output_tokens?: number } | undefined)?.output_tokens).toBeGreaterThan(5);
    },
    async streamed() {
      const parts: string[] = [];
      for await (const { content } of await kit.chat().stream(sky)) parts.push(String(content));
      expect(parts.length).toBeGreaterThan(2);
      expect(parts.join('')).toMatch(skyAnswer);
    },
    async 'multi-turn'() {
      const messages = conversation.map(({ role, content }) =>
        role === 'user' ? new HumanMessage(content) : new AIMessage(content),
      );
      expect((await kit.chat().invoke(messages)).content).toContain('Anna');
    },
    async tools() {
      const first = (await withTools().invoke([question])) as AIMessage;
      const [call] = first.tool_calls ?? [];
      expect(call).toMatchObject({ name: 'get_current_weather', args: { location: 'Paris' } });
      const answer = new ToolMessage({
        content: JSON.stringify(weatherAnswer),
        tool_call_id: call?.id ?? '',
        name: 'get_current_weather',
      });
      expect((await withTools().invoke([question, first, answer])).content).toMatch(/sunny/);
    },
    async 'tools, streamed'() {
      let whole: AIMessageChunkLike | undefined;
      for await (const chunk of await withTools().stream([question]))
        whole = whole === undefined ? (chunk as AIMessageChunkLike) : whole.concat(chunk);
      expect(whole?.tool_calls?.map(({ name }) => name)).toEqual(['get_current_weather']);
    },
    async 'structured output'() {
      const structured = kit.chat().withStructuredOutput(structuredClone(person) as never, { name: 'person' });
      expect(await structured.invoke(anna)).toMatchObject({ name: 'Anna', age: 31 });
    },
    async embeddings() {
      const vectors = await kit.embeddings().embedDocuments(['a fox', 'a river']);
      const single = await kit.embeddings().embedQuery('a river');
      expect(vectors).toHaveLength(2);
      expect(vectors[1]?.map((value) => value.toFixed(5))).toEqual(single.map((value) => value.toFixed(5)));
    },
    async images() {
      const content = [
        { type: 'text', text: look },
        { type: 'image_url', image_url: { url: imageUrl } },
      ];
      const { content: answer } = await kit.chat('ember-eyes').invoke([new HumanMessage({ content })]);
      expect(answer).toMatch(seen);
    },
    async 'wrong model'() {
      await expect(kit.chat('nobody').invoke(sky)).rejects.toThrow('not found');
    },
  };
}

interface AIMessageChunkLike {
  readonly tool_calls?: readonly { readonly name: string }[];
  concat(other: unknown): AIMessageChunkLike;
}
