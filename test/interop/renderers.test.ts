// Ollama's renderers and parsers beside ours: the same prompts, byte for byte, and the same thinking, content and calls,
// wherever an answer is cut. The cases are those of Ollama's own tests, and ours that Ollama answers.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findParser } from '../../src/formats/chat/parsers/find-parser.ts';
import { findRenderer } from '../../src/formats/chat/renderers/find-renderer.ts';
import { collectCases } from './oracle/collect-cases.ts';
import { compareAnswer, comparePrompt, readRefused } from './oracle/compare.ts';
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

/** Notes a line of the table; fails if some cases differ. */
function note(kind: string, name: string, counts: readonly { cases: number; differences: readonly string[] }[]): void {
  const figures = counts.map(({ cases: all, differences }) => `${all - differences.length} / ${all}`.padStart(13));
  lines.push(`${kind.padEnd(10)}${name.padEnd(20)}${figures.join('')}`);
  const all = counts.flatMap(({ differences }) => differences);
  expect(all.slice(0, shownDifferences).join('\n'), `${all.length} differences`).toBe('');
}

const compareAll = <Case>(all: readonly Case[], compare: (one: Case) => string | undefined) => ({
  cases: all.length,
  differences: all.map(compare).filter((difference) => difference !== undefined),
});

describe('renderers', () => {
  test.each(rendererNames)('%s', (name) => {
    const { theirs, ours } = cases.prompts(name);
    expect(ours.length).toBeGreaterThan(0);
    note(
      'renderer',
      name,
      [theirs, ours].map((all) => compareAll(all, (one) => comparePrompt(name, one))),
    );
    expect(findRenderer(name)?.leadingBos).toBe(ours[0]?.bos);
  });

  test('most of the cases in the source have a name', () => {
    lines.push(`${cases.unnamedPrompts} cases of renderers have a configuration that no name has`);
    expect(rendererNames.flatMap((name) => cases.prompts(name).theirs).length).toBeGreaterThan(400);
  });
});

describe('parsers', () => {
  test.each(parserNames)('%s', (name) => {
    const { theirs, ours } = cases.answers(name);
    expect(ours.length).toBeGreaterThan(0);
    // Ollama answers these with an error. Hearth has the text as content, and calls only where Ollama found them before.
    const refused = [...theirs, ...ours].filter(({ error }) => error !== '');
    note('parser', name, [
      ...[theirs, ours].map((all) =>
        compareAll(
          all.filter(({ error }) => error === ''),
          (one) => compareAnswer(name, one),
        ),
      ),
      compareAll(refused, (one) => {
        const parts = readRefused(name, one);
        return parts !== undefined && parts.calls.length <= one.calls.length
          ? undefined
          : JSON.stringify({ one, parts });
      }),
    ]);
    const family = findParser(name);
    const [first] = ours;
    expect([family?.supportsTools, family?.supportsThinking]).toEqual([first?.hasTools, first?.hasThinking]);
    expect([...(family?.controlTokens ?? [])].sort()).toEqual([...(first?.tokens ?? [])].sort());
  });

  test('most of the cases in the source have a name', () => {
    lines.push(`${cases.unnamedAnswers} cases of parsers have a configuration that no name has`);
    expect(parserNames.flatMap((name) => cases.answers(name).theirs).length).toBeGreaterThan(400);
  });
});
