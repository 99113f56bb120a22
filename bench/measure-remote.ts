// Measures what the server costs in front of a remote: the time to the first token of one stream, and the throughput of
// many, through the server and directly.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { startServer } from '../test/support/server.ts';
import { readStream } from './read-stream.ts';
import { median, report, rounds, settle } from './report.ts';

const streams = 64;
const tokens = 200;
const firstTokens = 50;
// Milliseconds.
const firstGoal = 3;
const speedGoal = 0.98;

export async function measureRemote(): Promise<void> {
  const script = fileURLToPath(new URL('./paced-remote.js', import.meta.url));
  const remote = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(remote.stdout, 'data')) as [Buffer];
  const direct = line.toString().trim();
  const server = await startServer();
  try {
    await send(server.url, '/api/remotes', { name: 'paced', urls: [direct], kind: 'openai' });
    await send(server.url, '/api/create', { model: 'paced', from: 'remote://paced/paced', stream: false });
    await reportFirst(direct, server.url);
    await reportSpeed(direct, server.url);
  } finally {
    remote.kill();
    await server.stop();
  }
}

async function send(url: string, path: string, body: object): Promise<void> {
  const response = await fetch(url + path, { method: 'POST', body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
}

const askFor = (url: string, count: number) =>
  readStream(`${url}/v1/chat/completions`, {
    model: 'paced',
    messages: [{ role: 'user', content: 'Count.' }],
    stream: true,
    max_tokens: count,
  });

async function reportFirst(direct: string, through: string): Promise<void> {
  const times = { direct: [] as number[], through: [] as number[] };
  for (let turn = 0; turn < firstTokens; turn++) {
    times.direct.push((await askFor(direct, 1)).firstText);
    times.through.push((await askFor(through, 1)).firstText);
  }
  const added = median(times.through) - median(times.direct);
  report({
    what: 'remote, first token',
    value: `${added.toFixed(2)} ms more than directly (${median(times.direct).toFixed(2)} ms)`,
    goal: `≤ ${firstGoal} ms`,
    met: added <= firstGoal,
  });
}

async function reportSpeed(direct: string, through: string): Promise<void> {
  const pairs: { readonly direct: number; readonly through: number }[] = [];
  for (let round = 0; round < rounds; round++) {
    await settle();
    const limit = await speedOf(direct);
    await settle();
    pairs.push({ direct: limit, through: await speedOf(through) });
  }
  const ratio = median(pairs.map((pair) => pair.through / pair.direct));
  report({
    what: `remote, ${streams} parallel streams`,
    value: `${ratio.toFixed(3)} of the speed without (${median(pairs.map((pair) => pair.direct)).toFixed(0)} tokens/s)`,
    goal: `≥ ${speedGoal}`,
    met: ratio >= speedGoal,
  });
}

/** Tokens per second of all streams. */
async function speedOf(url: string): Promise<number> {
  const started = performance.now();
  await Promise.all(Array.from({ length: streams }, () => askFor(url, tokens)));
  return (streams * tokens * 1000) / (performance.now() - started);
}
