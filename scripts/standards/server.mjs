// A server for a suite, with the models that the suite asks for.

import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadSource } from '../load-source.mjs';
import { root } from '../setup.mjs';

export async function startServer() {
  const folder = mkdtempSync(join(tmpdir(), 'hearth-standards-'));
  const env = { PATH: process.env.PATH, HOME: folder, HEARTH_HOST: '127.0.0.1:0' };
  // A file, because nothing reads a pipe while a suite runs.
  const logPath = join(folder, 'server.log');
  const log = openSync(logPath, 'w');
  const child = spawn(process.execPath, ['dist/main.js', 'serve'], { cwd: root, env, stdio: ['ignore', log, log] });
  const stop = async () => {
    child.kill();
    if (child.exitCode === null && child.signalCode === null) await once(child, 'close');
    rmSync(folder, { recursive: true, force: true });
  };
  for (;;) {
    const printed = readFileSync(logPath, 'utf8');
    const [, url] = /listening on (http:\S+)/.exec(printed) ?? [];
    if (url !== undefined) return { url, folder, stop };
    if (child.exitCode !== null) throw new Error(`the server does not start:\n${printed}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function post(url, body) {
  // The server closes an idle connection while a suite runs, which this process does not notice.
  const response = await fetch(url, { method: 'POST', body, headers: { connection: 'close' } });
  if (!response.ok) throw new Error(await response.text());
}

// Without randomness. One thread: several wait for each other, and a suite takes ten times longer on a busy machine. Ember
// repeats itself until its context is full, where a request has no limit.
const parameters = { temperature: 0, num_thread: 1, num_predict: 1024 };

/** `names` has the model that each is made from, possibly another template, and parameters. */
export async function createModels(url, names) {
  for (const [model, { from, template, ...more }] of Object.entries(names))
    await post(
      `${url}/api/create`,
      JSON.stringify({ model, from, template, parameters: { ...parameters, ...more }, stream: false }),
    );
}

/** Encoders with random weights: a reranker, or one for embeddings. */
export async function createEncoders(url, folder, poolings) {
  const { randomBertWeights, writeBert } = await loadSource('../test/support/models/tiny-bert.ts');
  for (const [model, pooling] of Object.entries(poolings)) {
    const path = join(folder, 'encoder.gguf');
    writeBert(path, randomBertWeights(1), pooling);
    const bytes = readFileSync(path);
    const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
    await post(`${url}/api/blobs/${digest}`, bytes);
    await post(`${url}/api/create`, JSON.stringify({ model, files: { 'encoder.gguf': digest }, stream: false }));
  }
}
