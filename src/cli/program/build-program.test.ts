import { expect, test } from 'vitest';
import { features } from '../../features/features.ts';
import type { CommandInput } from '../command.ts';
import { readFlags } from '../serve/serve-command.ts';
import { buildProgram } from './build-program.ts';
import { createCommandTable } from './command-table.ts';

const commands = createCommandTable(features.flatMap(({ commands = [] }) => commands));

/** Parses a command line without executing the command. */
async function parse(line: string) {
  let output = '';
  let parsed: { readonly name: string; readonly input: CommandInput } | undefined;
  const write = (text: string): void => {
    output += text;
  };
  const program = buildProgram({
    commands,
    writeOut: write,
    writeError: write,
    width: 100,
    onCommand: async ({ name }, input) => {
      parsed = { name, input };
    },
  });
  const failure = await program.parseAsync(line.split(' ').slice(1), { from: 'user' }).catch((error: Error) => error);
  return { parsed, output, failed: failure instanceof Error };
}

test('the former command `hearth library serve` is parsed as `hearth registry serve`', async () => {
  const { parsed } = await parse('hearth library serve --port 5000 --pull keyed');
  expect(parsed).toEqual({ name: 'serve', input: { words: [], options: { port: '5000', pull: 'keyed' } } });
  expect(await parse('hearth registry serve --port 5000 --pull keyed')).toMatchObject({ parsed });
});

test('every command has help with an example', async () => {
  const { output } = await parse('hearth --help');
  const list = output.slice(output.indexOf('Commands:'), output.indexOf('Example:'));
  const names = [...list.matchAll(/^ {2}([a-z]+)[, ]/gm)].map(([, name]) => name as string);
  expect(names).toEqual(expect.arrayContaining(['serve', 'create', 'list', 'pull', 'bench', 'completion']));
  for (const name of names.filter((one) => one !== 'help'))
    expect((await parse(`hearth ${name} --help`)).output).toMatch(/Examples:\n {2}\S/);
});

test('help does not show former commands', async () => {
  const { output } = await parse('hearth --help');
  expect(output).toContain('  registry ');
  expect(output).not.toContain('library');
  expect((await parse('hearth registry --help')).output).not.toContain('library');
});

test.each([
  ['--llm-library', 'vulkan', 'backend'],
  ['--library', 'registry.example', 'registry'],
  ['--library-credentials', 'registry.example=user:password', 'registryCredentials'],
])('serve accepts the former flag %s and does not show it', async (flag, value, key) => {
  const { parsed } = await parse(`hearth serve ${flag} ${value}`);
  expect(readFlags(parsed?.input.options ?? {})).toEqual({ [key]: value });
  const { output } = await parse('hearth serve --help');
  expect(output).toContain('--keep-alive <duration>');
  expect(output).not.toContain(`${flag} `);
});

test('serve --help has groups, the common flags first', async () => {
  const { output = '' } = await parse('hearth serve --help');
  const headings = output.match(/^[A-Z][^\n]*:$/gm) ?? [];
  expect(headings.length).toBeGreaterThan(4);
  expect(headings.find((heading) => /flags|options/i.test(heading))).toBe('Common flags:');
  expect(output.indexOf('--host')).toBeLessThan(output.indexOf('--keep-alive'));
});

test('the current flag wins over the former one', async () => {
  const { parsed } = await parse('hearth serve --llm-library vulkan --backend cpu');
  expect(readFlags(parsed?.input.options ?? {})).toEqual({ backend: 'cpu' });
});

test('an unknown command or flag is a usage error with a hint', async () => {
  expect(await parse('hearth lst')).toMatchObject({
    failed: true,
    output: expect.stringContaining("Run 'hearth help'"),
  });
  expect(await parse('hearth registry serve --nope')).toMatchObject({
    failed: true,
    output: expect.stringContaining("Run 'hearth registry serve --help' for usage."),
  });
});
