// Measures what the server costs in front of a remote: the time to the first token of one stream, and the throughput of
// many, through the server and directly. The remote, the server and this process may share two processors, so the
// processor time of the server is reported, too.
//
// Throughput is measured twice. In a burst, all streams start at the same moment, so that the last one waits until the server
// has read all requests: the shorter the answers, the more this counts. Under sustained load, each client sends one request
// after the other. Their answers have different lengths, so that only the first requests come at the same moment.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { startServer, type TestServer } from '../test/support/server.ts';
import { processorTimeOf } from './processor-time.ts';
import { readStream } from './read-stream.ts';
import { median, report, rounds, settle } from './report.ts';

const streams = 64;
// Of short answers, whose beginning counts, and of long ones.
const lengths = [200, 1000];
const firstTokens = 50;
// Of sustained load.
const requestsPerClient = 5;
const sustainedTokens = { least: 150, most: 250 };
// V8 compiles the code of a server that has just started while it runs.
const warmingRequests = 2000;
const firstGoalMs = 3;
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
    await reportFirst('right after the start', direct, server);
    for (let request = 0; request < warmingRequests; request++) await askFor(server.url, 1);
    await reportFirst(`after ${warmingRequests} requests`, direct, server);
    for (const tokens of lengths) await reportSpeed(burstOf(tokens), direct, server);
    await reportSpeed(sustainedLoad, direct, server);
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

async function reportFirst(when: string, direct: string, { url: through, pid }: TestServer): Promise<void> {
  const times = { direct: [] as number[], through: [] as number[] };
  const before = processorTimeOf(pid);
  for (let turn = 0; turn < firstTokens; turn++) {
    times.direct.push((await askFor(direct, 1)).firstText);
    times.through.push((await askFor(through, 1)).firstText);
  }
  const used = (processorTimeOf(pid) - before) / firstTokens;
  const added = median(times.through) - median(times.direct);
  report({
    what: `remote, first token, ${when}`,
    value: `${added.toFixed(2)} ms more than directly (${median(times.direct).toFixed(2)} ms)`,
    goal: `≤ ${firstGoalMs} ms`,
    met: added <= firstGoalMs,
  });
  report({ what: `processor time of the server, ${when}`, value: `${used.toFixed(2)} ms per request` });
}

interface Load {
  readonly name: string;
  /** Requests of each client, one after the other. */
  readonly requests: number;
  /** Of an answer. */
  readonly tokens: (client: number, request: number) => number;
}

const burstOf = (tokens: number): Load => ({
  name: `${streams} parallel streams of ${tokens} tokens`,
  requests: 1,
  tokens: () => tokens,
});

const { least, most } = sustainedTokens;
const sustainedLoad: Load = {
  name: `${streams} clients, ${requestsPerClient} streams of ${least} to ${most} tokens each`,
  requests: requestsPerClient,
  tokens: (client, request) => least + ((37 * client + 53 * request) % (most - least + 1)),
};

async function reportSpeed(load: Load, direct: string, { url: through, pid }: TestServer): Promise<void> {
  const pairs: { readonly direct: number; readonly through: number; readonly used: number }[] = [];
  for (let round = 0; round < rounds; round++) {
    await settle();
    const limit = await speedOf(direct, load);
    await settle();
    const before = processorTimeOf(pid);
    const speed = await speedOf(through, load);
    pairs.push({ direct: limit, through: speed, used: processorTimeOf(pid) - before });
  }
  const ratio = median(pairs.map((pair) => pair.through / pair.direct));
  report({
    what: `remote, ${load.name}`,
    value: `${ratio.toFixed(3)} of the speed without (${median(pairs.map((pair) => pair.direct)).toFixed(0)} tokens/s)`,
    goal: `≥ ${speedGoal}`,
    met: ratio >= speedGoal,
  });
  const perToken = (1000 * median(pairs.map(({ used }) => used))) / tokensOf(load);
  report({ what: `processor time of the server, ${load.name}`, value: `${perToken.toFixed(0)} µs per token` });
}

const lengthsOf = ({ requests, tokens }: Load, client: number): number[] =>
  Array.from({ length: requests }, (_, request) => tokens(client, request));

const tokensOf = (load: Load): number =>
  Array.from({ length: streams }, (_, client) => lengthsOf(load, client))
    .flat()
    .reduce((sum, length) => sum + length, 0);

/** Tokens per second of all streams. */
async function speedOf(url: string, load: Load): Promise<number> {
  const runClient = async (client: number): Promise<void> => {
    for (const length of lengthsOf(load, client)) await askFor(url, length);
  };
  const started = performance.now();
  await Promise.all(Array.from({ length: streams }, (_, client) => runClient(client)));
  return (tokensOf(load) * 1000) / (performance.now() - started);
}
