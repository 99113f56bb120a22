// npm run test:shares: ten keys with weights and quotas load a real server for a minute, and each must get its share
// within 10 %. An argument is the number of seconds.

import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from './setup.mjs';

const [seconds = '60'] = process.argv.slice(2);
if (!/^[1-9]\d*$/.test(seconds)) {
  console.error(`The number of seconds must be a positive whole number, not ${seconds}.`);
  process.exit(2);
}
run(process.execPath, ['scripts/build.mjs']);

const tolerance = 0.1;
// Enough that a key always has a request waiting.
const requestsAtOnce = 6;
const weights = [1, 1, 1, 1, 2, 2, 2, 3, 3, 4];
// The keys with a quota get no more than it allows.
const quotas = { 2: 6, 3: 12 };

const home = mkdtempSync(join(tmpdir(), 'hearth-shares-'));
const environment = {
  PATH: process.env.PATH,
  HOME: home,
  HEARTH_HOST: '127.0.0.1:0',
  HEARTH_MODELS: join(home, 'models'),
  HEARTH_NUM_PARALLEL: '8',
};
const hearth = (...words) =>
  execFileSync(process.execPath, ['dist/main.js', ...words], { env: environment, stdio: ['ignore', 'pipe', 'ignore'] });
const keys = weights.map((weight, index) => {
  const limit = quotas[index] === undefined ? [] : ['--requests-per-minute', String(quotas[index])];
  const words = ['keys', 'create', `key-${index}`, '--weight', String(weight), ...limit];
  return { weight, quota: quotas[index], text: String(hearth(...words)).trim(), answers: 0 };
});

const server = spawn(process.execPath, ['dist/main.js', 'serve'], {
  env: environment,
  stdio: ['ignore', 'pipe', 'ignore'],
});
const url = await new Promise((resolve, reject) => {
  let output = '';
  server.stdout.on('data', (chunk) => {
    output += chunk;
    const [address] = /http:\/\/[^\s;]+/.exec(output) ?? [];
    if (address) resolve(address);
  });
  server.once('exit', (code) => reject(new Error(`the server ended with code ${code}`)));
});

// Short answers, so that also the smallest share has many on a slow machine.
const options = { num_predict: 2, num_ctx: 512 };
const ask = async ({ text }) => {
  const response = await fetch(`${url}/api/generate`, {
    method: 'POST',
    headers: { authorization: `Bearer ${text}` },
    body: JSON.stringify({ model: 'ember', prompt: 'Count to one hundred:', raw: true, stream: false, options }),
  });
  await response.text();
  return response;
};
await ask(keys[0]);
const end = Date.now() + Number(seconds) * 1000;
const askUntilEnd = async (key) => {
  while (Date.now() < end) {
    const { status, headers } = await ask(key);
    if (status === 200 && Date.now() < end) key.answers++;
    if (status === 200) continue;
    const pause = Math.min(Number(headers.get('retry-after')) * 1000, end - Date.now());
    await new Promise((resolve) => setTimeout(resolve, Math.max(pause, 0)));
  }
};
await Promise.all(keys.flatMap((key) => Array.from({ length: requestsAtOnce }, () => askUntilEnd(key))));
server.removeAllListeners('exit');
server.kill('SIGTERM');
rmSync(home, { recursive: true, force: true });

const open = keys.filter(({ quota }) => quota === undefined);
const sum = (values) => values.reduce((total, value) => total + value, 0);
const perWeight = sum(open.map(({ answers }) => answers)) / sum(open.map(({ weight }) => weight));
let failed = false;
for (const [index, { weight, quota, answers }] of keys.entries()) {
  // A full bucket at the start, and what the time adds.
  const allowed = quota === undefined ? undefined : quota + (quota * Number(seconds)) / 60;
  const share = answers / (perWeight * weight);
  const isRight = allowed === undefined ? Math.abs(share - 1) <= tolerance : answers <= allowed;
  failed ||= !isRight;
  const expected = allowed === undefined ? `${share.toFixed(2)} of its share` : `at most ${allowed}`;
  console.log(
    `key-${index}  weight ${weight}  ${String(answers).padStart(5)} answers  ${expected}${isRight ? '' : '  WRONG'}`,
  );
}
process.exitCode = failed ? 1 : 0;
