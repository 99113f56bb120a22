// The examples of docs/command-line.md and of the help texts, run as they are printed, in a shell with the installed command.

import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CommandSpec } from '../../../src/cli/command.ts';
import { buildProgram } from '../../../src/cli/program/build-program.ts';
import { createCommandTable } from '../../../src/cli/program/command-table.ts';
import { features } from '../../../src/features/features.ts';
import { post } from '../../support/client.ts';
import { installShim } from '../../support/command.ts';
import { createHome, type Home } from '../../support/home.ts';
import { colors, drawPng } from '../../support/models/draw.ts';
import { repository } from '../../support/repository.ts';
import { startServer, type TestServer } from '../../support/server.ts';
import { hasTmux } from '../../support/terminal.ts';

let server: TestServer;
let home: Home;
const bin = installShim();
beforeAll(async () => {
  server = await startServer();
  home = createHome(server.url);
  const shape = drawPng({ shape: 'circle', color: colors.red });
  for (const folder of ['Pictures', 'models', '.config/fish/completions'])
    mkdirSync(join(home.folder, folder), { recursive: true });
  writeFileSync(join(home.folder, 'Pictures/shape.png'), shape);
  writeFileSync(join(home.folder, 'shape.png'), shape);
  writeFileSync(join(home.folder, 'letter.txt'), 'Dear Bob,\n\nthe apples are ripe.\n\nLove, Anna\n');
  const body = { model: 'ember', max_tokens: 4, messages: [{ role: 'user', content: 'Hi' }] };
  const question = { custom_id: 'a', method: 'POST', url: '/v1/chat/completions', body };
  writeFileSync(join(home.folder, 'questions.jsonl'), JSON.stringify(question));
  writeFileSync(join(home.folder, 'Modelfile'), 'FROM ember\nSYSTEM Talk like a pirate.\n');
  cpSync(server.store, join(home.folder, 'backup/models'), { recursive: true });
});
afterAll(async () => {
  home.remove();
  rmSync(bin, { recursive: true });
  await server.stop();
});

function shell(line: string, program = 'bash') {
  // Both streams in the order in which a terminal shows them.
  const { status, stdout } = spawnSync(program, ['-c', `exec 2>&1; ${line}`], {
    encoding: 'utf8',
    cwd: home.folder,
    input: '',
    env: { PATH: `${bin}:${process.env['PATH']}`, HOME: home.folder, HEARTH_HOST: server.url },
  });
  return { status, output: stdout };
}

interface Transcript {
  readonly command: string;
  readonly output: string;
}

/** The commands of the transcripts, each with the output below it. */
function readTranscripts(): Transcript[] {
  const text = readFileSync(repository('docs/command-line.md'), 'utf8');
  const blocks = Array.from(text.matchAll(/^```\n(\$ [\s\S]*?)^```$/gm), ([, block = '']) => block);
  return blocks.flatMap((block) =>
    block
      .split(/^\$ /m)
      .filter((part) => part.trim() !== '')
      .map((part) => {
        const [command = '', ...lines] = part.trimEnd().split('\n');
        return { command, output: lines.join('\n') };
      }),
  );
}

/** Digests, sizes, times and the padding that depends on them differ from run to run. */
function withoutVariableParts(text: string): string {
  return text
    .replace(/\b[0-9a-f]{12}\b/g, '<id>')
    .replace(/\b[\d.]+ [KMG]B\b/g, '<size>')
    .replace(/\b(?:Less than a|About a|\d+) (?:second|minute|hour)s? (ago|from now)/g, '<time> $1')
    .replace(/ +/g, ' ')
    .trim();
}

const transcripts = readTranscripts();
const isAnswer = ({ command }: Transcript): boolean => /\bhearth run\b/.test(command);
const conversations = transcripts.filter(({ output }) => output.startsWith('>>> '));

/** The most likely answer: an example must not depend on luck. */
async function removeRandomness(): Promise<void> {
  for (const model of ['ember', 'ember-eyes', 'ember-thinks']) {
    const { status } = await post(server.url, '/api/create', {
      model,
      from: model,
      parameters: { temperature: 0 },
      stream: false,
    });
    expect(status).toBe(200);
  }
}

describe('docs/command-line.md', () => {
  test('has transcripts', () => {
    expect(transcripts.filter(isAnswer).length).toBeGreaterThan(4);
    expect(conversations).toHaveLength(1);
  });

  test.each(transcripts.filter((each) => !isAnswer(each) && !each.command.includes('hearth ps')))(
    '$command',
    ({ command, output }) => {
      expect(withoutVariableParts(shell(command).output)).toBe(withoutVariableParts(output));
    },
  );

  describe('answers', () => {
    beforeAll(removeRandomness);

    test.each(transcripts.filter((each) => isAnswer(each) && !conversations.includes(each)))(
      '$command',
      ({ command, output }) => {
        expect(withoutVariableParts(shell(command).output)).toBe(withoutVariableParts(output));
      },
    );

    test('the loaded models are listed as shown', () => {
      shell('hearth stop ember-eyes; hearth stop ember-thinks; hearth run ember "Hi"');
      const { command, output } = transcripts.find((each) => each.command.startsWith('hearth ps')) as Transcript;
      const [head, ember] = shell(command).output.split('\n');
      expect(withoutVariableParts(`${head}\n${ember}`)).toBe(withoutVariableParts(output));
    });

    test.skipIf(!hasTmux)('the conversation', async () => {
      const { command, output } = conversations[0] as Transcript;
      const terminal = home.open(command.replace(/^hearth /, '').split(' '));
      await terminal.waitFor('>>> Send a message');
      // Lines that the user types follow a prompt.
      const typed = Array.from(output.matchAll(/^(?:>>>|\.\.\.) (.*)$/gm), ([, line = '']) => line).slice(0, -1);
      for (const line of typed) {
        terminal.type(line);
        await terminal.waitFor(line);
        terminal.press('Enter');
        await terminal.waitFor(/\n(>>> Send a message|\.\.\. Use """)[^\n]*$/);
      }
      expect(terminal.screen()).toBe(output.trimEnd());
    });
  });
});

interface Example {
  readonly line: string;
  /** The command that has the example, and its subcommands. */
  readonly commands: readonly string[];
}

const table = createCommandTable(features.flatMap(({ commands = [] }) => commands));
const examplesOf = ({ name, examples, commands = [] }: CommandSpec): Example[] => [
  ...examples.map((line) => ({ line, commands: [name, ...commands.map((each) => each.name)] })),
  ...commands.flatMap(examplesOf),
];
const examples = table.flatMap(examplesOf);

/**
 * Servers run until they are stopped, registries, backends and remotes need a network, an interactive session needs a terminal,
 * programs may not be installed, `users`, `login` and `logout` need an OpenID Connect provider (users.test.ts, login.test.ts), `bench` and `eval` take long (cli.test.ts runs them with less), `batch --id` needs a batch (clients/batches.test.ts),
 * importance matrices need a model that is not quantized (imatrix.test.ts), and only a server that a command
 * started in the background can be stopped (background.test.ts).
 */
const notRun =
  /^hearth (serve|stop --server|registry|pull|push|bench|eval|imatrix|batch --id|launch \w+|users|login|logout|backend (add|remove)|remote (add|check|remove)|service (install|status|logs)|version --check)(?!.*--dry-run)\b|^hearth run ember$/;

describe('the examples of the help texts', () => {
  beforeAll(() => {
    for (const name of ['my-ember', 'first:q4_0', 'second:q8_0']) shell(`hearth cp ember ${name}`);
  });

  test.each(examples.filter(({ line }) => !notRun.test(line)))('$line', ({ line }) => {
    const isZsh = line.includes('completion zsh');
    // As in a usual ~/.zshrc.
    const result = isZsh ? shell(`autoload -U compinit; compinit -u -D; ${line}`, 'zsh') : shell(line);
    expect(result).toEqual({ status: 0, output: result.output });
  });

  test.each(examples.filter(({ line }) => notRun.test(line)))('$line is accepted', async ({ line, commands }) => {
    let parsed = '';
    const program = buildProgram({
      commands: table,
      writeOut: () => {},
      writeError: () => {},
      width: 80,
      onCommand: async ({ name }) => {
        parsed = name;
      },
    });
    await program.parseAsync(line.split(' ').slice(1), { from: 'user' });
    expect(['serve', ...commands]).toContain(parsed);
  });

  test('the example of the main help', () => {
    const help = execFileSync(join(bin, 'hearth'), ['--help'], { encoding: 'utf8' });
    const line = /Example:\n {2}(.*)\n/.exec(help)?.[1] ?? '';
    expect(shell(line)).toEqual({ status: 0, output: expect.stringMatching(/scatter/i) });
  });
});
