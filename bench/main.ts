// npm run bench: compares the server over HTTP with a bare loop over the same build of llama.cpp, as ratios. Absolute
// numbers depend on the machine and its load; ratios of short alternating runs hardly do. Arguments select models and
// measurements (`npm run bench ember embeddings`); the default is everything but `batches`, `busy`, which loads the machine,
// `agents`, which takes long, `subagents`, `gpu`, `experts`, `images`, `remote`, `ollama`, `retrieval`, `schemas`,
// `constraints`, `walk`, `state` and `telemetry`.

import { cpus, totalmem } from 'node:os';
import { repository } from '../test/support/repository.ts';
import { startServer, type TestServer } from '../test/support/server.ts';
import { addModel } from './add-model.ts';
import { emberModel } from './ember-model.ts';
import { reportList } from './list-models.ts';
import { measureAgents } from './measure-agents.ts';
import { measureBatches } from './measure-batches.ts';
import { measureBusy } from './measure-busy.ts';
import { measureConstraints } from './measure-constraints.ts';
import { measureEmbeddings } from './measure-embeddings.ts';
import { measureExperts } from './measure-experts.ts';
import { measureGpu } from './measure-gpu.ts';
import { measureImagesOnCpu } from './measure-images.ts';
import { measureMemory } from './measure-memory.ts';
import { measureOllama } from './measure-ollama.ts';
import { measureRepeatedPrompt, measureSharedChats, measureSharedPrefix } from './measure-prefixes.ts';
import { measureRemote } from './measure-remote.ts';
import { measureRetrieval } from './measure-retrieval.ts';
import { measureSchemas } from './measure-schemas.ts';
import { measureSpeculation } from './measure-speculation.ts';
import { measureSpeed } from './measure-speed.ts';
import { reportStart } from './measure-start.ts';
import { measureState } from './measure-state.ts';
import { measureSubagents } from './measure-subagents.ts';
import { measureTelemetry } from './measure-telemetry.ts';
import { measureUsage } from './measure-usage.ts';
import { measureWalk } from './measure-walk.ts';
import { reportPull } from './pull-speed.ts';
import { randomModel } from './random-model.ts';
import { reportSummary, rounds } from './report.ts';
import type { Subject } from './subject.ts';

const chosen = process.argv.slice(2);
const models = repository('build/models');

// An argument selects within its group: "ember" keeps all measurements, "embeddings" keeps both models.
const subjects = ['random-500m', 'ember'];
const measurements = ['speed', 'prefixes', 'chats', 'embeddings', 'memory'];
/** The others measure models of their own. */
const ofModels = [...subjects, ...measurements];
const kinds = [
  subjects,
  [
    ...measurements,
    'list',
    'pull',
    'start',
    'usage',
    'speculation',
    'batches',
    'busy',
    'agents',
    'subagents',
    'gpu',
    'experts',
    'images',
    'remote',
    'ollama',
    'retrieval',
    'schemas',
    'constraints',
    'walk',
    'state',
    'telemetry',
  ],
];
for (const word of chosen.filter((one) => !kinds.flat().includes(one))) {
  throw new Error(`unknown argument "${word}"; expected ${kinds.flat().join(', ')}`);
}
const wants = (word: string): boolean => {
  const siblings = kinds.find((kind) => kind.includes(word)) ?? [];
  return chosen.includes(word) || !chosen.some((one) => siblings.includes(one));
};

async function measureModel(server: TestServer, uncached: TestServer, subject: Subject): Promise<void> {
  if (wants('speed')) await measureSpeed(server, subject);
  if (wants('prefixes')) await measureRepeatedPrompt(server, subject);
  if (wants('prefixes')) await measureSharedPrefix(server, subject);
  if (wants('chats')) await measureSharedChats(server, uncached, subject);
  if (wants('embeddings')) await measureEmbeddings(server, subject);
  if (wants('memory')) await measureMemory(server, subject);
}

async function measureModels(): Promise<void> {
  const goals = { one: 0.97, eight: 0.95 };
  const subjects: Subject[] = [
    {
      name: 'random-500m',
      path: randomModel(models),
      tokens: 192,
      thousand: 500,
      texts: 64,
      goals,
    },
    {
      name: 'ember',
      path: emberModel(models),
      tokens: 256,
      thousand: 1000,
      texts: 512,
      goals: { one: 0.9, embed: 0.9 },
    },
  ];
  const environment = { HEARTH_NUM_PARALLEL: '8', HEARTH_CONTEXT_LENGTH: '2048' };
  const server = await startServer({ environment });
  const uncached = await startServer({ environment: { ...environment, HEARTH_PREFIX_CACHE: '0' } });
  try {
    for (const subject of subjects.filter(({ name }) => wants(name))) {
      const template = '{{ .System }}\n{{ .Prompt }}\n{{ .Response }}';
      for (const one of [server, uncached]) await addModel(one, { ...subject, template });
      await measureModel(server, uncached, subject);
    }
  } finally {
    await server.stop();
    await uncached.stop();
  }
}

const [cpu] = cpus();
const machine = `${cpu?.model ?? 'unknown processor'} × ${cpus().length}, ${Math.round(totalmem() / 2 ** 30)} GiB`;
console.log(`${machine}, ${process.platform} ${process.arch}, Node ${process.version}; medians of ${rounds} turns\n`);
if (chosen.length === 0 || chosen.some((word) => ofModels.includes(word))) await measureModels();
if (wants('list')) await reportList();
if (wants('pull')) await reportPull();
if (wants('start')) await reportStart();
if (wants('usage')) await measureUsage(emberModel(models));
if (wants('speculation')) await measureSpeculation();
if (chosen.includes('batches')) await measureBatches(emberModel(models));
if (chosen.includes('busy')) await measureBusy();
if (chosen.includes('agents')) await measureAgents();
if (chosen.includes('subagents')) await measureSubagents();
if (chosen.includes('gpu')) await measureGpu();
if (chosen.includes('experts')) await measureExperts();
if (chosen.includes('images')) await measureImagesOnCpu();
if (chosen.includes('remote')) await measureRemote();
if (chosen.includes('ollama')) await measureOllama();
if (chosen.includes('retrieval')) await measureRetrieval(emberModel(models));
if (chosen.includes('schemas')) await measureSchemas();
if (chosen.includes('constraints')) await measureConstraints(models);
if (chosen.includes('walk')) await measureWalk();
if (chosen.includes('state')) await measureState();
if (chosen.includes('telemetry')) await measureTelemetry();
reportSummary();
