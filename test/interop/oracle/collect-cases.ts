// The cases for each registered name: those of Ollama's own tests, and ours.

import { answersFor } from './answers.ts';
import { answerTools, conversations, thinkValues } from './conversations.ts';
import type { OllamaOracle } from './ollama-oracle.ts';
import { parserNames, readTestAnswers, rendererNames } from './ollama-tables.ts';
import type { RecordedAnswer, RecordedParts, RecordedPrompt, RecordedTool } from './recording.ts';

interface Cases<Case> {
  readonly theirs: readonly Case[];
  readonly ours: readonly Case[];
}

/** An answer with all that Ollama makes of it: its parsers do not read all cuts of a text in the same way. */
export interface ReadAnswer extends RecordedAnswer {
  readonly readings: readonly RecordedParts[];
}

interface CollectedCases {
  readonly prompts: (name: string) => Cases<RecordedPrompt>;
  readonly answers: (name: string) => Cases<ReadAnswer>;
  /** How many cases of Ollama's tests have a configuration that no name has. */
  readonly unnamedPrompts: number;
  readonly unnamedAnswers: number;
  /** How many cases of Ollama's tests have values that requests do not have, such as integers of 64 bits. */
  readonly unsentPrompts: number;
}

export async function collectCases(oracle: OllamaOracle): Promise<CollectedCases> {
  const tested = await oracle.runTests();
  const asked = await oracle.ask({
    renderers: rendererNames,
    conversations: conversations.flatMap((conversation) => thinkValues.map((think) => ({ ...conversation, think }))),
    answers: parserNames.map((parser) => ({ parser, pieces: [''] })),
  });
  const prompts = assignNames(tested.prompts, asked.prompts);
  const answers = assignNames(tested.answers, asked.answers);
  const sent = await askAgain(oracle, prompts.named);
  const own = parserNames.flatMap((parser) => {
    const type = asked.answers.find(({ name }) => name === parser)?.type ?? '';
    return toQuestions(parser, [...answersFor(parser), ...readTestAnswers(type)]);
  });
  const given = [
    ...answers.named.map((answer) => ({ answer, question: toQuestion(answer) })),
    ...own.map((question) => ({ answer: undefined, question })),
  ];
  const tokensOf = new Map(asked.answers.map(({ name, tokens }) => [name, tokens]));
  const cuts = [
    (text: string) => [text],
    (text: string) => [...text],
    (text: string, parser: string) => cutTokens(text, tokensOf.get(parser) ?? []),
  ];
  const recordings: (readonly RecordedAnswer[])[] = [];
  for (const cut of cuts) {
    const questions = given.map(({ question }) => ({ ...question, pieces: cut(question.text, question.parser) }));
    const { answers: all } = await oracle.ask({ answers: questions });
    // A parser can use another one.
    recordings.push(all.filter(({ name }) => name !== ''));
  }
  const read = given.map(({ answer }, index): ReadAnswer & { isOwn: boolean } => {
    const readings = [answer, ...recordings.map((all) => all[index])].filter((reading) => reading !== undefined);
    return { ...(readings[0] as RecordedAnswer), readings, isOwn: answer === undefined };
  });
  return {
    prompts: (name) => ({
      theirs: sent.filter((prompt) => prompt.name === name),
      ours: asked.prompts.filter((prompt) => prompt.name === name),
    }),
    answers: (name) => {
      const all = read.filter((answer) => answer.name === name);
      return { theirs: all.filter(({ isOwn }) => !isOwn), ours: all.filter(({ isOwn }) => isOwn) };
    },
    unnamedPrompts: prompts.unnamed,
    unnamedAnswers: answers.unnamed,
    unsentPrompts: prompts.named.length - sent.length,
  };
}

/** The prompts that are the same if the conversation is sent as JSON. */
async function askAgain(oracle: OllamaOracle, prompts: readonly RecordedPrompt[]): Promise<readonly RecordedPrompt[]> {
  const questions = prompts.map(({ name, messages, tools, think }) => ({ renderer: name, messages, tools, think }));
  const { prompts: all } = await oracle.ask({ prompts: questions });
  const again = all.filter(({ name }) => name !== '');
  return prompts.filter(({ text }, index) => again[index]?.text === text);
}

/** Tokens are one piece each, other text is cut into characters. */
function cutTokens(text: string, tokens: readonly string[]): readonly string[] {
  const pieces: string[] = [];
  for (let at = 0; at < text.length; ) {
    const token = tokens.find((candidate) => text.startsWith(candidate, at));
    const piece = token ?? String.fromCodePoint(text.codePointAt(at) as number);
    pieces.push(piece);
    at += piece.length;
  }
  return pieces;
}

function toQuestion({ name, text, tools, think, lastMessage }: RecordedAnswer) {
  return { parser: name, text, tools, think, ...(lastMessage === null ? {} : { lastMessage }) };
}

function toQuestions(parser: string, texts: readonly string[]) {
  return [...new Set(texts)].flatMap((text) => {
    const tools = [...answerTools, ...toolsIn(text)];
    return [
      ...[null, true, false].map((think) => ({ parser, text, think, tools })),
      ...[null, true].map((think) => ({ parser, text, think })),
      ...['user', 'assistant'].map((role) => {
        const lastMessage = { role, content: 'Well,' };
        return { parser, text, think: true, tools, lastMessage };
      }),
    ];
  });
}

/** Some parsers refuse calls of tools that they do not know. */
function toolsIn(text: string): readonly RecordedTool[] {
  const names = [...text.matchAll(/(?:\[TOOL_CALLS\]|<tool_call>|<function=|"name": ?")([\w.-]+)/g)].map(
    ([, name = '']) => name,
  );
  return [...new Set(names)]
    .filter((name) => answerTools.every((tool) => tool.function.name !== name))
    .map((name) => ({ type: 'function', function: { name, parameters: { type: 'object', properties: {} } } }));
}

/** The cases of tests under each name with their type and configuration. */
function assignNames<Case extends RecordedPrompt | RecordedAnswer>(tested: readonly Case[], asked: readonly Case[]) {
  const all = tested.map((one) => {
    const hasImages = 'messages' in one && one.messages.some(({ images = [] }) => images.length > 0);
    // Without images, it does not matter how a renderer writes them.
    const toKey = (shape: string): string => (hasImages ? shape : shape.replace(/"useImgTags":\w+/, ''));
    const same = asked.filter(({ type, shape }) => type === one.type && toKey(shape) === toKey(one.shape));
    return [...new Set(same.map(({ name }) => name))].map((name) => ({ ...one, name }));
  });
  return { named: all.flat(), unnamed: all.filter((cases) => cases.length === 0).length };
}
