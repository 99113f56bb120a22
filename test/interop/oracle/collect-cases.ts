// The cases for each registered name: those of Ollama's own tests, and ours.

import { answersFor } from './answers.ts';
import { answerTools, conversations, thinkValues } from './conversations.ts';
import type { OllamaOracle } from './ollama-oracle.ts';
import { parserNames, readTestAnswers, rendererNames } from './ollama-tables.ts';
import type { RecordedAnswer, RecordedPrompt } from './recording.ts';

interface Cases<Case> {
  readonly theirs: readonly Case[];
  readonly ours: readonly Case[];
}

interface CollectedCases {
  readonly prompts: (name: string) => Cases<RecordedPrompt>;
  readonly answers: (name: string) => Cases<RecordedAnswer>;
  /** How many cases of Ollama's tests have a configuration that no name has. */
  readonly unnamedPrompts: number;
  readonly unnamedAnswers: number;
}

export async function collectCases(oracle: OllamaOracle): Promise<CollectedCases> {
  const prompts = await oracle.ask({
    renderers: rendererNames,
    conversations: conversations.flatMap((conversation) => thinkValues.map((think) => ({ ...conversation, think }))),
    answers: parserNames.map((parser) => ({ parser, text: '' })),
  });
  const types = new Map(prompts.answers.map(({ name, type }) => [name, type]));
  const answers = await oracle.ask({
    renderers: [],
    conversations: [],
    answers: parserNames.flatMap((parser) => toQuestions(parser, types.get(parser) ?? '')),
  });
  const tested = await oracle.runTests();
  const named = <Case extends RecordedPrompt | RecordedAnswer>(theirs: readonly Case[], ours: readonly Case[]) => {
    const owners = theirs.map((one) => ({ one, names: namesOf(one, ours) }));
    return {
      casesOf: (name: string): Cases<Case> => ({
        theirs: owners.filter(({ names }) => names.has(name)).map(({ one }) => one),
        ours: ours.filter((one) => one.name === name),
      }),
      unnamed: owners.filter(({ names }) => names.size === 0).length,
    };
  };
  const { casesOf: promptsOf, unnamed: unnamedPrompts } = named(tested.prompts, prompts.prompts);
  const { casesOf: answersOf, unnamed: unnamedAnswers } = named(tested.answers, answers.answers);
  return { prompts: promptsOf, answers: answersOf, unnamedPrompts, unnamedAnswers };
}

function toQuestions(parser: string, type: string) {
  const texts = new Set([...answersFor(parser), ...readTestAnswers(type)]);
  return [...texts].flatMap((text) => [
    ...[null, true, false].map((think) => ({ parser, text, think, tools: answerTools })),
    ...[null, true].map((think) => ({ parser, text, think })),
    ...['user', 'assistant'].map((role) => {
      const lastMessage = { role, content: 'Well,' };
      return { parser, text, think: true, tools: answerTools, lastMessage };
    }),
  ]);
}

/** The names with the type and the configuration of a case. */
function namesOf(one: RecordedPrompt | RecordedAnswer, asked: readonly (RecordedPrompt | RecordedAnswer)[]) {
  const hasImages = 'messages' in one && one.messages.some(({ images = [] }) => images.length > 0);
  // Without images, it does not matter how a renderer writes them.
  const toKey = (shape: string): string => (hasImages ? shape : shape.replace(/"useImgTags":\w+/, ''));
  const key = toKey(one.shape);
  const same = asked.filter(({ type, shape }) => type === one.type && toKey(shape) === key);
  return new Set(same.map(({ name }) => name));
}
