// A runner that does not respond, and renders that nobody waits for.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { digestOf } from '../../../src/base/digest.ts';
import { generate, post } from '../../support/client.ts';
import { writeGguf } from '../../support/models/write-gguf.ts';
import type { TestServer } from '../../support/server.ts';
import type { Attack } from '../harness.ts';

/** Clients of a stopped runner can leave, and the model works again afterwards. */
async function stopRunner(server: TestServer): Promise<void> {
  await generate(server.url, { prompt: 'Hi', options: { num_predict: 1 } });
  const [runner] = server.runners();
  if (runner === undefined) throw new Error('there is no runner');
  process.kill(runner, 'SIGSTOP');
  const waiting = Array.from({ length: 20 }, () =>
    post(
      server.url,
      '/api/chat',
      { model: 'ember', messages: [{ role: 'user', content: 'Hi' }] },
      {
        signal: AbortSignal.timeout(500),
      },
    ),
  );
  for (const result of await Promise.allSettled(waiting)) expect(result.status).toBe('rejected');
  process.kill(runner, 'SIGCONT');
  await generate(server.url, { prompt: 'Hi', options: { num_predict: 1 } });
}

const endless = '{% for a in range(1000) %}'.repeat(9) + '{% endfor %}'.repeat(9);

async function installTemplate(url: string, name: string, template: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'hearth-template-'));
  try {
    const path = join(folder, 'model.gguf');
    const text = (value: string) => ({ type: 'string', value }) as const;
    writeGguf(path, { 'general.architecture': text('llama'), 'tokenizer.chat_template': text(template) }, []);
    const bytes = readFileSync(path);
    const digest = digestOf(bytes);
    await fetch(`${url}/api/blobs/${digest}`, { method: 'POST', body: bytes });
    const { text: answer } = await post(url, '/api/create', { model: name, files: { 'model.gguf': digest } });
    expect(answer).toContain('success');
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Another template must not wait for those that were abandoned. It fails to load, and not before it is rendered. */
async function abandonRenders({ url }: TestServer): Promise<void> {
  await installTemplate(url, 'endless', endless);
  await installTemplate(url, 'other', '{{ messages[0].content }}!');
  const messages = [{ role: 'user', content: 'Hi' }];
  const abandoned = Array.from({ length: 5 }, () =>
    post(url, '/api/chat', { model: 'endless', messages }, { signal: AbortSignal.timeout(500) }),
  );
  for (const result of await Promise.allSettled(abandoned)) expect(result.status).toBe('rejected');
  expect((await post(url, '/api/chat', { model: 'other', messages })).text).toContain('error');
}

export const processAttacks: readonly Attack[] = [
  { name: 'a stopped runner', run: stopRunner },
  { name: 'abandoned renders of an endless template', run: abandonRenders },
];
