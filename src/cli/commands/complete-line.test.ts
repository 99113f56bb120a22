import { expect, test } from 'vitest';
import { features } from '../../features/features.ts';
import type { CommandSpec } from '../command.ts';
import { createCommandTable } from '../program/command-table.ts';
import { planCompletion } from './complete-line.ts';

const commands: readonly CommandSpec[] = createCommandTable(features.flatMap(({ commands = [] }) => commands));
const plan = (line: string) => {
  const { word, completes } = planCompletion(commands, line);
  return { word, completes: typeof completes === 'string' ? completes : completes.map((each) => each.word) };
};

test('the first word is a command; hidden commands are not offered', () => {
  expect(plan('hearth ')).toEqual({ word: '', completes: expect.arrayContaining(['serve', 'list', 'pull']) });
  expect(plan('hearth sh')).toMatchObject({ word: 'sh' });
  for (const hidden of ['__complete', '__diagnose', 'library']) expect(plan('hearth ').completes).not.toContain(hidden);
  expect(plan('hearth --')).toMatchObject({ completes: ['--help', '--version'] });
});

test.each([
  ['hearth show ', 'model'],
  ['hearth show em', 'model'],
  ['hearth show --verbose ', 'model'],
  ['hearth show ember ', 'nothing'],
  ['hearth cp ember ', 'model'],
  ['hearth rm one two ', 'model'],
  ['hearth ls ', 'model'],
  ['hearth create -f ', 'file'],
  ['hearth create --file Mod', 'file'],
  ['hearth create -f Modelfile ', 'model'],
  ['hearth create pirate -q ', 'nothing'],
  ['hearth completion ', ['bash', 'zsh', 'fish']],
  ['hearth registry ', ['serve']],
  ['hearth registry serve --pull ', ['open', 'keyed']],
  ['hearth library serve --pull ', ['open', 'keyed']],
  ['hearth nonsense ', 'nothing'],
])('%j is completed with %j', (line, completes) => {
  expect(plan(line).completes).toEqual(completes);
});

test('flags of the command; hidden flags are not offered', () => {
  expect(plan('hearth list --').completes).toEqual(['--all', '--json', '--help']);
  expect(plan('hearth serve --').completes).toContain('--keep-alive');
  expect(plan('hearth serve --').completes).not.toContain('--llm-library');
});

test('commands and flags have descriptions', () => {
  for (const line of ['hearth ', 'hearth --', 'hearth show --', 'hearth serve --', 'hearth registry '])
    for (const candidate of planCompletion(commands, line).completes)
      expect(candidate, line).toEqual({ word: expect.any(String), help: expect.stringMatching(/\S/) });
});

test('every command has a summary and an example', () => {
  for (const { name, summary, examples, hidden } of commands) {
    expect(summary, name).not.toBe('');
    if (!hidden) expect(examples.join('\n'), name).toContain(`hearth ${name}`);
  }
});
