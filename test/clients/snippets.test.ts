// What the web page tells users to copy works: commands and SDKs are run, agents are compared with `hearth launch`.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse as parseToml } from 'smol-toml';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { programTable } from '../../src/features/launch/program-table.ts';
import { agentSnippets } from '../../web/connect/agent-snippets.ts';
import { commandSnippets, typescriptSnippets } from '../../web/connect/sdk-snippets.ts';
import type { ConnectTarget, Snippet } from '../../web/connect/snippet.ts';
import { installShim } from '../support/command.ts';
import { repository } from '../support/repository.ts';
import { startServer, type TestServer } from '../support/server.ts';

// curl succeeds with an error of the server, too.
const answer = /^(?!.*"error")\s*\S/s;
const target = { model: 'ember', context: 4096, hasTools: true, hasVision: false };

describe('commands and SDKs', () => {
  const home = mkdtempSync(join(tmpdir(), 'hearth-snippets-'));
  const shim = installShim();
  let server: TestServer;
  let key = '';
  beforeAll(async () => {
    server = await startServer({ environment: { HEARTH_KEYS_FILE: join(home, 'keys.json') } });
  });
  afterAll(async () => {
    await server.stop();
    for (const folder of [home, shim]) rmSync(folder, { recursive: true, force: true });
  });

  const run = async ({ language, code }: Snippet, needsKey: boolean): Promise<string> => {
    const text = code({ ...target, url: server.url, needsKey });
    const [program, ...words] =
      language === 'bash' ? ['sh', '-c', text] : [process.execPath, '--input-type=module', '-e', text];
    const child = spawn(program as string, words, {
      // The folder of the installed SDKs.
      cwd: repository('test/clients'),
      env: { PATH: `${shim}:${process.env['PATH']}`, HOME: home, HEARTH_API_KEY: key },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    let problem = '';
    child.stdout.on('data', (chunk) => (output += String(chunk)));
    child.stderr.on('data', (chunk) => (problem += String(chunk)));
    const [status] = (await once(child, 'close')) as [number | null];
    if (status !== 0) throw new Error(`${status}: ${problem}`);
    return output;
  };
  const snippets = [...commandSnippets, ...typescriptSnippets];

  test.each(snippets)('$title without keys', async (snippet) => {
    expect(await run(snippet, false)).toMatch(answer);
  });

  test('with keys', async () => {
    const body = JSON.stringify({ name: 'anna' });
    const response = await fetch(`${server.url}/api/keys`, { method: 'POST', body });
    key = ((await response.json()) as { key: string }).key;
    await expect.poll(async () => (await fetch(`${server.url}/api/tags`)).status).toBe(401);
    for (const snippet of snippets)
      expect([snippet.title, await run(snippet, true)]).toEqual([snippet.title, expect.stringMatching(answer)]);
  });
});

describe.each([false, true])('agents, with keys: %s', (needsKey) => {
  const url = 'http://127.0.0.1:11434';
  const launched = { url, model: 'ember', capabilities: [], context: 4096, ...(needsKey ? { key: 'secret' } : {}) };
  const textOf = (title: string): string =>
    agentSnippets.find((snippet) => snippet.title === title)?.code({ ...target, url, needsKey } as ConnectTarget) ?? '';
  const programOf = (name: string) => programTable.find((program) => program.name === name);

  test('Claude Code', () => {
    const { environment = {} } = programOf('claude')?.configure(launched) ?? {};
    const exported = [...textOf('Claude Code').matchAll(/^export (\w+)=(.*)$/gm)].map(([, name, value]) => [
      name,
      value,
    ]);
    expect(exported.length).toBeGreaterThan(3);
    for (const [name = '', value] of exported)
      expect([name, value]).toEqual([name, environment[name]?.replace('secret', '$HEARTH_API_KEY')]);
  });

  test('Codex', () => {
    expect(parseToml(textOf('Codex'))).toEqual(programOf('codex')?.saved?.values(launched));
  });

  test('OpenCode', () => {
    expect(JSON.parse(textOf('OpenCode'))).toEqual(programOf('opencode')?.saved?.values(launched));
  });
});
