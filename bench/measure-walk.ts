// Measures how far a request walks through the source: the files and functions of src/ that the server and the runner
// enter for one request to a warm model, by V8's precise coverage. BENCH_WALK_ROOT is another built tree to measure.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { Profiler } from 'node:inspector';
import { SourceMap } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pause } from '../test/support/processes.ts';
import { repository } from '../test/support/repository.ts';
import { startServer, type TestServer } from '../test/support/server.ts';
import { weatherQuestion, weatherTool } from '../test/support/weather-tool.ts';
import { readStream } from './read-stream.ts';
import { report } from './report.ts';

const root = process.env['BENCH_WALK_ROOT'] ?? repository('.');
const lists = repository('build/walk.txt');
const warmingRequests = 10;
// Timers run in some of the measured requests, so the walk of median length counts.
const measuredRequests = 5;

const chat = { model: 'ember', stream: true, options: { temperature: 0, num_predict: 21 } };
const messages = [weatherQuestion];
const requests = [
  { name: '/api/chat with tools', path: '/api/chat', body: { ...chat, messages, tools: [weatherTool] } },
  { name: '/api/chat', path: '/api/chat', body: { ...chat, messages } },
  { name: '/v1/messages', path: '/v1/messages', body: { model: 'ember', stream: true, max_tokens: 21, messages } },
  { name: '/api/chat of a remote model', path: '/api/chat', body: { ...chat, model: 'paced', messages } },
];
type WalkedRequest = (typeof requests)[number];

export async function measureWalk(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'hearth-walk-'));
  const probe = new URL('./coverage-probe.js', import.meta.url);
  probe.searchParams.set('folder', folder);
  const remote = spawn(process.execPath, [fileURLToPath(new URL('./paced-remote.js', import.meta.url))]);
  const server = await startServer({
    entry: join(root, 'dist/main.js'),
    // A sandboxed runner cannot write the file of the probe.
    environment: { NODE_OPTIONS: `--import=${probe.href}`, HEARTH_SANDBOX: 'false' },
  });
  try {
    const [line] = (await once(remote.stdout, 'data')) as [Buffer];
    await send(server.url, '/api/remotes', { name: 'paced', urls: [line.toString().trim()], kind: 'openai' });
    await send(server.url, '/api/create', { model: 'paced', from: 'remote://paced/paced', stream: false });
    const written: string[] = [];
    for (const one of requests) written.push(...(await measureRequest(server, folder, one)));
    mkdirSync(dirname(lists), { recursive: true });
    writeFileSync(lists, written.join('\n'));
    console.log(`      every function: ${relative(process.cwd(), lists)}`);
  } finally {
    remote.kill();
    await server.stop();
    rmSync(folder, { recursive: true });
  }
}

/** Reports the walk of one request, and returns the lists of its files. */
async function measureRequest(server: TestServer, folder: string, request: WalkedRequest): Promise<string[]> {
  const { name, path, body } = request;
  for (let round = 0; round < warmingRequests; round++) await readStream(server.url + path, body);
  const processes = [server.pid, ...(body.model === 'paced' ? [] : server.runners())];
  const walks = new Map(processes.map((pid): [number, Walk[]] => [pid, []]));
  for (let round = 0; round < measuredRequests; round++) {
    for (const pid of processes) await takeCoverage(folder, pid);
    await readStream(server.url + path, body);
    for (const pid of processes) walks.get(pid)?.push(walkOf(await takeCoverage(folder, pid)));
  }
  return [...walks].map(([pid, taken]) => reportWalk(name, pid === server.pid, medianOf(taken)));
}

async function send(url: string, path: string, body: object): Promise<void> {
  const response = await fetch(url + path, { method: 'POST', body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
}

/** What ran in a process since the last call. */
async function takeCoverage(folder: string, pid: number): Promise<Profiler.ScriptCoverage[]> {
  const path = join(folder, `${pid}.json`);
  rmSync(path, { force: true });
  process.kill(pid, 'SIGUSR2');
  while (!existsSync(path)) await pause(10);
  return JSON.parse(readFileSync(path, 'utf8')) as Profiler.ScriptCoverage[];
}

interface EnteredFunction {
  readonly file: string;
  readonly place: string;
  readonly name: string;
  readonly count: number;
}

interface Walk {
  readonly files: readonly string[];
  readonly functions: readonly EnteredFunction[];
}

function walkOf(coverage: readonly Profiler.ScriptCoverage[]): Walk {
  const functions = coverage.flatMap(functionsOf).sort((a, b) => a.place.localeCompare(b.place, 'en'));
  return { files: [...new Set(functions.map(({ file }) => file))], functions };
}

const medianOf = (walks: readonly Walk[]): Walk =>
  [...walks].sort((a, b) => a.functions.length - b.functions.length)[Math.floor(walks.length / 2)] as Walk;

/** Reports the counts, and returns the list of files with their functions. A file's functions of the same name count once. */
function reportWalk(request: string, isServer: boolean, { files, functions }: Walk): string {
  const names = new Set(functions.map(({ file, name }) => `${file} ${name}`)).size;
  const calls = functions.reduce((sum, { count }) => sum + count, 0);
  const what = `walk of ${request}, ${isServer ? 'server' : 'runner'}`;
  report({ what, value: `${files.length} files, ${names} functions, ${calls} calls` });
  const lines = files.flatMap((path) => [
    path,
    ...functions
      .filter(({ file }) => file === path)
      .map(({ name, place, count }) => `  ${place.slice(path.length + 1)} ${name || '(anonymous)'} × ${count}`),
  ]);
  return [`# ${what}: ${files.length} files, ${names} functions`, ...lines, ''].join('\n');
}

/** The functions of src/ that were called. */
function functionsOf(script: Profiler.ScriptCoverage): EnteredFunction[] {
  const path = script.url.startsWith('file:') ? fileURLToPath(script.url) : script.url;
  const text = readFileSync(path, 'utf8');
  const map = new SourceMap(JSON.parse(readFileSync(`${path}.map`, 'utf8')));
  const starts = [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)];
  return script.functions.flatMap(({ functionName, ranges: [range] }) => {
    if (range === undefined || range.count === 0 || range.startOffset === 0) return [];
    const line = starts.findLastIndex((start) => start <= range.startOffset);
    const entry = map.findEntry(line, range.startOffset - (starts[line] ?? 0));
    if (!('originalSource' in entry)) return [];
    const file = relative(root, resolve(dirname(path), entry.originalSource));
    const place = `${file}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
    return file.startsWith('src/') ? [{ file, place, name: functionName, count: range.count }] : [];
  });
}
