// Cache events of a real server, read by ZeroMQ and msgspec in Python with structs as vLLM defines them.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { repository } from '../support/repository.ts';
import { startServer } from '../support/server.ts';
import { pythonProgram } from './run-program.ts';

test('a subscriber of vLLM reads what was stored before it came, and what is stored and removed later', async () => {
  const [events, replay] = [await freePort(), await freePort()];
  const server = await startServer({
    environment: {
      HEARTH_KV_EVENTS: `tcp://127.0.0.1:${events}`,
      HEARTH_KV_EVENTS_REPLAY: `tcp://127.0.0.1:${replay}`,
    },
  });
  const ask = async (body: object): Promise<void> => {
    const init = { method: 'POST', body: JSON.stringify({ model: 'ember', stream: false, ...body }) };
    const response = await fetch(`${server.url}/api/generate`, init);
    expect(response.status).toBe(200);
    await response.text();
  };
  const prompt = (word: string) => ({ prompt: `${word} `.repeat(300), options: { num_predict: 1 } });
  try {
    await ask(prompt('early'));
    const words = [repository('test/interop/python/read_cache_events.py'), String(events), String(replay)];
    const reader = spawn(pythonProgram('cache_events', 'python'), words, { stdio: ['ignore', 'pipe', 'pipe'] });
    const output = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const)
      reader[name].setEncoding('utf8').on('data', (chunk) => {
        output[name] += chunk;
      });
    const ended = once(reader, 'close');
    await expect.poll(() => output.stdout + output.stderr, { timeout: 30_000 }).toMatch(/ready|Error/);
    await ask(prompt('late'));
    await ask({ keep_alive: 0 });
    const [code] = await ended;
    expect(code, output.stderr).toBe(0);
    const seen = JSON.parse(output.stdout.split('\n')[1] ?? '');
    console.log(`read in Python: ${JSON.stringify(seen)}`);
    expect(seen.past).toBeGreaterThan(0);
    expect(seen.live).toBeGreaterThan(1);
    // The model was unloaded, and its blocks with it.
    expect([seen.blocks, seen.removed >= 8]).toEqual([0, true]);
  } finally {
    await server.stop();
  }
});
