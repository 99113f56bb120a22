// Chat templates of many models, rendered here and by transformers in Python: the same text, or the same kind of error.

import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { createPythonInterpreter } from '../../src/formats/chat/jinja/python-interpreter.ts';
import { createPythonOperators } from '../../src/formats/chat/jinja/python-operators.ts';
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

/** Templates whose cells differ, with the number of cells and the reason. */
const knownDifferences: Readonly<Record<string, { readonly cells: number; readonly reason: string }>> = {
  'ByteDance-Seed-OSS': { cells: 19, reason: 'the package has no dictionaries with integer keys' },
  'llama-cpp-deepseek-r1': { cells: 6, reason: 'it is an error in Python, which cannot write a generator as JSON' },
  'meetkai-functionary-medium-v3.2': { cells: 2, reason: 'the package does not unpack tuples' },
  'meetkai-functionary-medium-v3.1': {
    cells: 6,
    reason: 'in Python, a text marked as safe escapes what is added to it',
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
  const Interpreter = createPythonInterpreter(jinja, values, createPythonOperators(values, maxText));
  const render = createRender({ jinja, Interpreter, maxText });
  const different = cells.flatMap(({ template, conversation, job }, index) => {
    const [ours, expected] = [render(job), theirs[index] as RenderOutcome];
    const kind = compare(ours, expected);
    return kind === 'same' ? [] : [{ template: template.name, conversation: conversation.name, kind, ours, expected }];
  });
  const lines = different.map(({ template, conversation, kind, ours, expected }) =>
    [
      `${template} / ${conversation}: ${kind}`,
      `  here   ${shorten(ours, expected)}`,
      `  python ${shorten(expected, ours)}`,
    ].join('\n'),
  );
  const passed = cells.length - different.length;
  process.stdout.write(
    `\n${templates.length} templates x ${conversations.length} conversations: ${passed} of ${cells.length} cells are the same\n` +
      `${lines.join('\n')}\n`,
  );
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
