import { expect, test } from 'vitest';
import { describeConfig } from './print-config.ts';
import type { LaunchTarget, Program } from './program.ts';
import { programTable } from './program-table.ts';

const target: LaunchTarget = { url: 'http://127.0.0.1:11434', model: 'ember', capabilities: ['tools'], context: 4096 };
const places = { environment: {}, home: '/home/anna', platform: 'linux', recordFile: '' } as const;
const describeRow = (name: string, options: { readonly save?: boolean; readonly key?: string } = {}): string => {
  const { save = false, key } = options;
  const program = programTable.find((each) => each.name === name) as Program;
  return describeConfig(program, { target: { ...target, key }, args: [], save, places });
};

test('a program that needs a file: its path, what is added, and the command', () => {
  const text = describeRow('pi');
  expect(text).toMatch(/^Added to \/home\/anna\/\.pi\/agent\/models\.json:\n\{\n {2}"providers": \{\n/);
  expect(text).toMatch(/\}\nCommand:\n {2}pi --model hearth\/ember\n$/);
});

test('a program that is configured for one run: variables and arguments, quoted for a shell', () => {
  const text = describeRow('codex');
  expect(text).toMatch(/^Command:\n {2}codex -c 'model="ember"' -c /);
  expect(describeRow('copilot')).toMatch(/^Variables:\n {2}COPILOT_PROVIDER_TYPE=openai\n/);
});

test('with --save, the file of such a program', () => {
  expect(describeRow('opencode')).not.toContain('Added to');
  expect(describeRow('opencode', { save: true })).toContain('Added to /home/anna/.config/opencode/opencode.json:');
});

test.each(programTable)('$name: the key is not shown', ({ name }) => {
  expect(describeRow(name, { save: true, key: 'hearth_secret' })).not.toContain('hearth_secret');
});
