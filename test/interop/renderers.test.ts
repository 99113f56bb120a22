// Ollama's renderers and parsers beside ours: the same prompts, byte for byte, and the same thinking, content and calls,
// wherever an answer is cut. The cases are those of Ollama's own tests, and ours that Ollama answers.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findParser } from '../../src/formats/chat/parsers/find-parser.ts';
import { collectCases } from './oracle/collect-cases.ts';
import { type AnswerComparison, compareAnswer, comparePrompt, type Reason, reasons } from './oracle/compare.ts';
import { OllamaOracle } from './oracle/ollama-oracle.ts';
import { parserNames, rendererNames } from './oracle/ollama-tables.ts';

const oracle = OllamaOracle.create();
let cases: Awaited<ReturnType<typeof collectCases>>;
beforeAll(async () => {
  cases = await collectCases(oracle);
});

const lines: string[] = [];
afterAll(() => {
  oracle.remove();
  console.info([...lines, ''].join('\n'));
});

const shownDifferences = 3;
const failOn = (differences: readonly string[]): void =>
  expect(differences.slice(0, shownDifferences).join('\n'), `${differences.length} differences`).toBe('');

function addLine(kind: string, name: string, figures: readonly string[]): void {
  lines.push([kind.padEnd(10), name.padEnd(20), ...figures.map((figure) => figure.padStart(13))].join(''));
}

const fraction = (part: number, all: readonly unknown[]): string => `${part} / ${all.length}`;

describe('renderers', () => {
  test.each(rendererNames)('%s', (name) => {
    const { theirs, ours } = cases.prompts(name);
    const compared = [theirs, ours].map((prompts) => prompts.map((prompt) => comparePrompt(name, prompt)));
    const isEqual = (difference: string | undefined): boolean => difference === undefined;
    addLine(
      'renderer',
      name,
      compared.map((all) => fraction(all.filter(isEqual).length, all)),
    );
    expect(ours.length).toBeGreaterThan(0);
    failOn(compared.flat().filter((difference) => difference !== undefined));
  });

  test('most of the cases in the source have a name', () => {
    lines.push(`${cases.unnamedPrompts} cases of renderers have a configuration that no name has`);
    lines.push(`${cases.unsentPrompts} cases of renderers have values that requests do not have`);
    expect(rendererNames.flatMap((name) => cases.prompts(name).theirs).length).toBeGreaterThan(400);
  });
});

const reasonNames = Object.keys(reasons) as Reason[];

describe('parsers', () => {
  beforeAll(() => addLine('', '', ['theirs', 'ours', ...reasonNames]));
  afterAll(() => {
    for (const [name, reason] of Object.entries(reasons)) lines.push(`${name}: ${reason}`);
  });

  test.each(parserNames)('%s', (name) => {
    const { theirs, ours } = cases.answers(name);
    const compared = [theirs, ours].map((answers) => answers.map((answer) => compareAnswer(name, answer)));
    const countOf = (all: readonly AnswerComparison[], wanted: AnswerComparison['result']): number =>
      all.filter(({ result }) => result === wanted).length;
    addLine('parser', name, [
      ...compared.map((all) => fraction(countOf(all, 'equal'), all)),
      ...reasonNames.map((result) => `${countOf(compared.flat(), result)}`),
    ]);
    expect(ours.length).toBeGreaterThan(0);
    const different = compared.flat().filter(({ result }) => result === 'different');
    failOn(different.map(({ difference }) => difference));
    const family = findParser(name);
    const [first] = ours;
    expect([family?.supportsTools, family?.supportsThinking]).toEqual([first?.hasTools, first?.hasThinking]);
    // FunctionGemma also shows the tokens around texts.
    expect(family?.controlTokens).toEqual(expect.arrayContaining([...(first?.tokens ?? [])]));
  });

  test('most of the cases in the source have a name', () => {
    lines.push(`${cases.unnamedAnswers} cases of parsers have a configuration that no name has`);
    expect(parserNames.flatMap((name) => cases.answers(name).theirs).length).toBeGreaterThan(400);
  });
});
