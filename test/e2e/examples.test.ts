// The programs in examples/, run as their README says, against a fresh server.

import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventsOf } from '../support/openai.ts';
import { repository } from '../support/repository.ts';
import { startServer, type TestServer } from '../support/server.ts';

const missing = (process.env['HEARTH_TEST_MISSING'] ?? '').split(',');
// Five requests, on a machine that may be busy.
const timeout = 180_000;

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server?.stop());

interface Outcome {
  /** The exit code, or the name of what kept the command from starting. */
  readonly status: number | string;
  readonly stdout: string;
  readonly stderr: string;
}

function run(command: string, ...args: string[]): Promise<Outcome> {
  const env = { PATH: process.env['PATH'], HOME: tmpdir() };
  return new Promise((resolve) => {
    execFile(command, args, { env }, (error, stdout, stderr) =>
      resolve({ status: error === null ? 0 : (error.code ?? `signal ${error.signal}`), stdout, stderr }),
    );
  });
}

/** The text of each section by its title. */
function sectionsOf(output: string): Record<string, string> {
  const [before, ...parts] = output.split(/^== (.*)\n/m);
  expect(before).toBe('');
  const titles = parts.filter((_, index) => index % 2 === 0);
  return Object.fromEntries(titles.map((title, index) => [title, (parts[2 * index + 1] as string).trim()]));
}

async function runExample(command: string, script: string): Promise<Record<string, string>> {
  const { status, stdout, stderr } = await run(command, repository(script), server.url);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return sectionsOf(stdout);
}

const programs = [
  { name: 'Node', command: process.execPath, script: 'examples/node.mjs', skipped: false },
  { name: 'Python', command: 'python3', script: 'examples/python.py', skipped: missing.includes('python3') },
] as const;

describe.each(programs)('$name', ({ command, script, skipped }) => {
  test.skipIf(skipped)('prints the answers', { timeout }, async () => {
    const sections = await runExample(command, script);
    expect(sections).toEqual({
      Models: expect.stringMatching(/^ember:latest$/m),
      Generate: expect.stringMatching(/^Sunlight is scattered .*, so the sky looks blue\.$/),
      'Chat with a tool': expect.stringMatching(/^get_current_weather: Paris\n(?=.*Paris).*sunny.*18 (?:degrees|°C)/),
      Embeddings: 'closest to "The sky is blue.": "The sea is blue."',
      'OpenAI dialect': 'The capital of France is Paris.',
    });
  });

  test.skipIf(skipped)('ends with an error when the server refuses a request', async () => {
    const { status, stderr } = await run(command, repository(script), `${server.url}/nowhere`);
    expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining('/api/tags: status 404') });
  });
});

describe.skipIf(missing.includes('curl'))('curl', () => {
  test('prints the responses', { timeout }, async () => {
    const sections = await runExample('sh', 'examples/curl.sh');
    const objectsOf = (title: string) => (sections[title] ?? '').split('\n').map((line) => JSON.parse(line));

    expect(objectsOf('Models')[0].models.map(({ name }: { name: string }) => name)).toContain('ember:latest');

    const generated = objectsOf('Generate');
    expect(generated.map(({ response }) => response).join('')).toMatch(/scattered/);
    expect(generated.at(-1)).toMatchObject({ done: true });

    const [call, answer] = objectsOf('Chat with a tool');
    const expected = { name: 'get_current_weather', arguments: { location: 'Paris' } };
    expect(call.message.tool_calls).toMatchObject([{ function: expected }]);
    expect(answer.message.content).toMatch(/(?=.*Paris).*sunny.*18 (?:degrees|°C)/);

    const [{ embeddings }] = objectsOf('Embeddings');
    expect(embeddings.map((vector: number[]) => vector.length)).toEqual([512, 512]);

    const { objects, ended } = eventsOf(`${sections['OpenAI dialect']}\n\n`);
    const text = objects.map(({ choices }) => choices[0]?.delta.content ?? '').join('');
    expect({ text, ended }).toEqual({ text: 'The capital of France is Paris.', ended: true });
  });

  test('ends with an error when the server refuses a request', async () => {
    const { status, stderr } = await run('sh', repository('examples/curl.sh'), `${server.url}/nowhere`);
    expect({ status, stderr }).toEqual({ status: 22, stderr: expect.stringContaining('404') });
  });
});

test('the JSDoc types of the Node example are right', async () => {
  const { status, stdout } = await run(
    process.execPath,
    repository('node_modules/typescript-7/bin/tsc'),
    '-p',
    'examples',
  );
  expect({ status, stdout }).toEqual({ status: 0, stdout: '' });
});
