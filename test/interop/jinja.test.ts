// Chat templates of many models, rendered here and by transformers in Python: the same text, or the same kind of error.

import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { createPythonFilters } from '../../src/formats/chat/jinja/python-filters.ts';
import { createPythonInterpreter } from '../../src/formats/chat/jinja/python-interpreter.ts';
import { createLoopInterpreter } from '../../src/formats/chat/jinja/python-loops.ts';
import { createPythonOperators } from '../../src/formats/chat/jinja/python-operators.ts';
import { createPrintf } from '../../src/formats/chat/jinja/python-printf.ts';
import { createPythonText } from '../../src/formats/chat/jinja/python-text.ts';
import { createPythonValues } from '../../src/formats/chat/jinja/python-values.ts';
import {
  createRender,
  type JinjaPackage,
  type RenderJob,
  type RenderOutcome,
} from '../../src/formats/chat/jinja/render-program.ts';
import { createCalendar } from '../../src/formats/chat/jinja/strftime.ts';
import { repository } from '../support/repository.ts';
import { conversations, type JinjaConversation } from './jinja-conversations.ts';
import { pythonProgram, runProgram } from './run-program.ts';

const now = Date.now();
const folders = (process.env['HEARTH_JINJA_TEMPLATES'] ?? '').split(':').filter((folder) => folder !== '');

interface Template {
  readonly name: string;
  readonly source: string;
}

const templates: Template[] = folders.flatMap((folder) =>
  readdirSync(folder)
    .filter((file) => /\.jinja2?$/.test(file))
    .map((file) => ({
      name: basename(file).replace(/\.jinja2?$/, ''),
      source: readFileSync(join(folder, file), 'utf8'),
    })),
);

interface Cell {
  readonly template: Template;
  readonly conversation: JinjaConversation;
  readonly job: RenderJob;
}

const cells: Cell[] = templates.flatMap((template) =>
  conversations.map((conversation) => {
    const common = { bos_token: '<s>', eos_token: '</s>', tools: null, documents: null, add_generation_prompt: true };
    const variables = { ...common, ...conversation.variables };
    return { template, conversation, job: { source: template.source, variables, calendar: createCalendar(now) } };
  }),
);

interface KnownDifference {
  readonly cells: number;
  readonly reason: string;
  /** Whether a cell differs for this reason. */
  readonly explains: (ours: RenderOutcome, theirs: RenderOutcome) => boolean;
}

/** Python refuses the template, and the text here is that of llama.cpp, which the template was written for. */
const refusedInPython =
  (error: string): KnownDifference['explains'] =>
  (ours, theirs) =>
    'text' in ours && 'fault' in theirs && theirs.fault.includes(error);

const entities: Readonly<Record<string, string>> = {
  '&#34;': '"',
  '&#39;': "'",
  '&lt;': '<',
  '&gt;': '>',
  '&amp;': '&',
};
const withoutEntities = (text: string): string =>
  text.replace(/&(?:#34|#39|lt|gt|amp);/g, (entity) => entities[entity] as string);

const changesLists: KnownDifference = {
  cells: 5,
  reason: 'it appends to a list, which the sandbox of transformers refuses',
  explains: refusedInPython("access to attribute 'append' of 'list' object is unsafe"),
};

/** By template. */
const knownDifferences: Readonly<Record<string, KnownDifference>> = {
  'Kimi-K2-Instruct': changesLists,
  'Kimi-K2-Thinking': changesLists,
  'llama-cpp-deepseek-r1': {
    cells: 6,
    reason: 'it writes a generator as JSON, which Python cannot',
    explains: refusedInPython('Object of type generator is not JSON serializable'),
  },
  'meetkai-functionary-medium-v3.1': {
    cells: 6,
    reason: 'in Python, a text marked as safe writes HTML entities in what is added to it',
    explains: (ours, theirs) =>
      'text' in ours && 'text' in theirs && ours.text !== theirs.text && withoutEntities(theirs.text) === ours.text,
  },
};

type Kind = 'same' | 'text' | 'error';

function compare(ours: RenderOutcome, theirs: RenderOutcome): Kind {
  if ('text' in ours && 'text' in theirs) return ours.text === theirs.text ? 'same' : 'text';
  if ('rejection' in ours && 'rejection' in theirs) return 'same';
  return 'fault' in ours && 'fault' in theirs ? 'same' : 'error';
}

test('every cell is the same text or the same kind of error', async () => {
  const input = cells.map(({ job: { source, variables } }) => `${JSON.stringify({ source, variables })}\n`).join('');
  const program = repository('test/interop/python/render_templates.py');
  const { code, stdout, stderr } = await runProgram(pythonProgram('jinja', 'python'), [program, String(now)], {
    input,
  });
  expect([code, code === 0 ? '' : stderr]).toEqual([0, '']);
  const theirs = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as RenderOutcome);
  expect(theirs).toHaveLength(cells.length);
  const jinja = createRequire(import.meta.filename)('@huggingface/jinja') as JinjaPackage;
  const maxText = 2 ** 24;
  const values = createPythonValues(jinja);
  const text = createPythonText(values);
  const printf = createPrintf(values);
  const operators = createPythonOperators(values, text, printf, maxText);
  const Loops = createLoopInterpreter(jinja, values, operators);
  const Interpreter = createPythonInterpreter(Loops, values, operators, createPythonFilters(values, printf));
  const render = createRender({ jinja, Interpreter, maxText });
  const different = cells.flatMap(({ template, conversation, job }, index) => {
    const [ours, expected] = [render(job), theirs[index] as RenderOutcome];
    const kind = compare(ours, expected);
    return kind === 'same' ? [] : [{ template: template.name, conversation: conversation.name, kind, ours, expected }];
  });
  const isNamed = ({ template, ours, expected }: (typeof different)[number]): boolean =>
    knownDifferences[template]?.explains(ours, expected) ?? false;
  const lines = different
    .filter((cell) => !isNamed(cell))
    .map(({ template, conversation, kind, ours, expected }) =>
      [
        `${template} / ${conversation}: ${kind}`,
        `  here   ${shorten(ours, expected)}`,
        `  python ${shorten(expected, ours)}`,
      ].join('\n'),
    );
  const named = Object.entries(knownDifferences).map(
    ([name, { cells: count, reason }]) => `${name}: ${count}, ${reason}`,
  );
  const passed = cells.length - different.length;
  const figures = `${templates.length} templates x ${conversations.length} conversations: ${passed} of ${cells.length}`;
  process.stdout.write(`\n${[`${figures} cells are the same`, ...named, ...lines].join('\n')}\n`);
  expect(lines.join('\n')).toBe('');
  const counts = Object.fromEntries(Object.entries(knownDifferences).map(([name, { cells: count }]) => [name, count]));
  expect(countBy(different.map(({ template }) => template))).toEqual(counts);
});

function countBy(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

/** The outcome from a little before the first difference on. */
function shorten(outcome: RenderOutcome, other: RenderOutcome): string {
  if (!('text' in outcome)) return JSON.stringify(outcome).slice(0, 200);
  let at = 0;
  const otherText = 'text' in other ? other.text : '';
  while (at < outcome.text.length && outcome.text[at] === otherText[at]) at++;
  return JSON.stringify(outcome.text.slice(Math.max(0, at - 30), at + 60));
}
