// Counters, histograms and gauges in the Prometheus format. Nothing in them comes from a prompt or an answer.

import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { currentRequest } from '../request/request-scope.ts';
import { addProcessMetrics } from './process-metrics.ts';
import { type ServerLoad, sumLoad } from './server-load.ts';

/** The current state, taken on every read of the metrics. */
export interface Snapshot {
  readonly models: readonly {
    readonly name: string;
    readonly state: string;
    readonly mainBytes: number;
    readonly deviceBytes: number;
    readonly leases: number;
    readonly context: { readonly used: number; readonly total: number } | undefined;
  }[];
  readonly queues: readonly { readonly name: string; readonly waiting: number; readonly leased: number }[];
  /** The prefix cache on disk. */
  readonly prefixFiles: { readonly files: number; readonly bytes: number };
}

export interface Metrics {
  readonly contentType: string;
  read(): Promise<string>;
  readLoad(): ServerLoad;
  requestEnded(end: {
    readonly endpoint: string;
    readonly model: string;
    readonly outcome: string;
    readonly seconds: number;
  }): void;
  waited(model: string, seconds: number): void;
  answered(answer: {
    readonly model: string;
    readonly promptTokens: number;
    readonly cachedTokens: number;
    readonly diskTokens: number;
    readonly generatedTokens: number;
    readonly draftedTokens: number;
    /** The drafted tokens of a draft model or a prediction head. */
    readonly modelDraftedTokens: number;
    readonly modelAcceptedTokens: number;
    readonly acceptedTokens: number;
    readonly firstTextSeconds?: number;
    readonly generateSeconds: number;
  }): void;
  embedded(embedding: { readonly model: string; readonly texts: number; readonly tokens: number }): void;
  ranked(ranking: { readonly model: string; readonly documents: number; readonly tokens: number }): void;
  loadEnded(load: { readonly model: string; readonly seconds: number; readonly outcome: 'ok' | 'failed' }): void;
  runnerEnded(runner: { readonly model: string; readonly crashed: boolean }): void;
}

// From a cached answer of a tiny model to a large model on a slow machine.
const seconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];
const secondsPerToken = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2];

const maxModels = 200;
const maxKeys = 100;

export function createMetrics(snapshot: () => Snapshot): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const labelOf = createBoundedLabel(maxModels);
  const keyOf = createKeyLabel();
  const crashed = new Set<string>();
  const counter = <Label extends string>(name: string, help: string, labelNames: readonly Label[]) =>
    new Counter({ name: `hearth_${name}`, help, labelNames: [...labelNames], registers });
  const histogram = <Label extends string>(name: string, help: string, labelNames: Label[], buckets = seconds) =>
    new Histogram({ name: `hearth_${name}`, help, labelNames, buckets, registers });

  addProcessMetrics(registry);
  addGauges(registry, snapshot, labelOf);

  const requests = counter('requests_total', 'Requests by outcome: ok, or the error code.', [
    'endpoint',
    'model',
    'outcome',
    'key',
  ]);
  const duration = histogram(
    'request_duration_seconds',
    'Time from the arrival of a request to the end of its response.',
    ['endpoint'],
  );
  const waits = histogram(
    'queue_wait_seconds',
    'Time from the arrival of a request to its start in the runner, including model loading.',
    ['model'],
  );
  const promptTokens = counter('prompt_tokens_total', 'Prompt tokens.', ['model', 'key']);
  const generatedTokens = counter('generated_tokens_total', 'Generated tokens.', ['model', 'key']);
  const draftTokens = counter(
    'draft_tokens_total',
    'Tokens that speculation drafted, by source: ngram, or model for draft models and prediction heads.',
    ['model', 'source'],
  );
  const acceptedTokens = counter('draft_tokens_accepted_total', 'Drafted tokens that were right, by source.', [
    'model',
    'source',
  ]);
  const prefixTokens = counter('prefix_cache_tokens_total', 'Prompt tokens by prefix cache result.', [
    'model',
    'result',
  ]);
  const diskTokens = counter(
    'prefix_cache_disk_tokens_total',
    'Prompt tokens that the prefix cache read from disk; they are hits too.',
    ['model'],
  );
  const prefixRequests = counter('prefix_cache_requests_total', 'Prompts by prefix cache result.', ['model', 'result']);
  const firstText = histogram(
    'time_to_first_token_seconds',
    'Time from the arrival of a request to the first text of its answer.',
    ['model'],
  );
  const interToken = histogram(
    'inter_token_seconds',
    'Time between two tokens, averaged over each answer.',
    ['model'],
    secondsPerToken,
  );
  const embeddedTexts = counter('embedded_texts_total', 'Embedded texts.', ['model']);
  const rankedDocuments = counter('ranked_documents_total', 'Ranked documents.', ['model']);
  const loads = counter('model_loads_total', 'Model loads by outcome.', ['model', 'outcome']);
  const loadTimes = histogram('model_load_seconds', 'Model load time.', ['model']);
  const crashes = counter('runner_crashes_total', 'Runners that exited unexpectedly.', ['model']);
  const restarts = counter('runner_restarts_total', 'Runners that replaced a crashed one.', ['model']);

  return {
    contentType: registry.contentType,
    read: () => registry.metrics(),
    readLoad: () => sumLoad(snapshot()),
    requestEnded({ endpoint, model, outcome, seconds: taken }) {
      requests.inc({ endpoint, model: labelOf(model), outcome, ...keyOf() });
      duration.observe({ endpoint }, taken);
    },
    waited: (model, taken) => waits.observe({ model: labelOf(model) }, taken),
    answered(answer) {
      const model = labelOf(answer.model);
      promptTokens.inc({ model, ...keyOf() }, answer.promptTokens);
      generatedTokens.inc({ model, ...keyOf() }, answer.generatedTokens);
      const { draftedTokens, acceptedTokens: accepted, modelDraftedTokens, modelAcceptedTokens } = answer;
      draftTokens.inc({ model, source: 'model' }, modelDraftedTokens);
      acceptedTokens.inc({ model, source: 'model' }, modelAcceptedTokens);
      // A runner may report figures that contradict each other, and a counter cannot decrease.
      draftTokens.inc({ model, source: 'ngram' }, Math.max(0, draftedTokens - modelDraftedTokens));
      acceptedTokens.inc({ model, source: 'ngram' }, Math.max(0, accepted - modelAcceptedTokens));
      prefixTokens.inc({ model, result: 'hit' }, answer.cachedTokens);
      prefixTokens.inc({ model, result: 'miss' }, answer.promptTokens - answer.cachedTokens);
      diskTokens.inc({ model }, answer.diskTokens);
      prefixRequests.inc({ model, result: answer.cachedTokens > 0 ? 'hit' : 'miss' });
      if (answer.firstTextSeconds !== undefined) firstText.observe({ model }, answer.firstTextSeconds);
      if (answer.generatedTokens > 1)
        interToken.observe({ model }, answer.generateSeconds / (answer.generatedTokens - 1));
    },
    embedded({ model, texts, tokens }) {
      embeddedTexts.inc({ model: labelOf(model) }, texts);
      promptTokens.inc({ model: labelOf(model), ...keyOf() }, tokens);
    },
    ranked({ model, documents, tokens }) {
      rankedDocuments.inc({ model: labelOf(model) }, documents);
      promptTokens.inc({ model: labelOf(model), ...keyOf() }, tokens);
    },
    loadEnded({ model: name, seconds: taken, outcome }) {
      const model = labelOf(name);
      loads.inc({ model, outcome });
      if (outcome === 'ok') loadTimes.observe({ model }, taken);
      if (outcome === 'ok' && crashed.delete(model)) restarts.inc({ model });
    },
    runnerEnded({ model: name, crashed: hasCrashed }) {
      if (!hasCrashed) return;
      const model = labelOf(name);
      crashes.inc({ model });
      crashed.add(model);
    },
  };
}

/** The label of the key of the current request. A server without keys has no such label. */
function createKeyLabel(): () => { readonly key?: string } {
  const labelOf = createBoundedLabel(maxKeys);
  return () => {
    const key = currentRequest()?.key;
    return key === undefined ? {} : { key: labelOf(key.name) };
  };
}

function addGauges(registry: Registry, snapshot: () => Snapshot, labelOf: (model: string) => string): void {
  const registers = [registry];
  new Gauge({
    name: 'hearth_queue_depth',
    help: 'Requests waiting for a model or its runner.',
    labelNames: ['model'],
    registers,
    collect() {
      this.reset();
      for (const { name, waiting } of snapshot().queues) this.inc({ model: labelOf(name) }, waiting);
    },
  });
  new Gauge({
    name: 'hearth_model_memory_bytes',
    help: 'Memory used by loaded models, in main memory and on devices.',
    labelNames: ['model', 'where'],
    registers,
    collect() {
      this.reset();
      for (const { name, mainBytes, deviceBytes } of snapshot().models) {
        this.inc({ model: labelOf(name), where: 'main' }, mainBytes);
        this.inc({ model: labelOf(name), where: 'device' }, deviceBytes);
      }
    },
  });
  new Gauge({
    name: 'hearth_models',
    help: 'Models in memory by state.',
    labelNames: ['state'],
    registers,
    collect() {
      this.reset();
      for (const state of ['loading', 'idle', 'busy', 'sleeping', 'draining']) this.set({ state }, 0);
      for (const { state } of snapshot().models) this.inc({ state });
    },
  });
  new Gauge({
    name: 'hearth_prefix_cache_disk_bytes',
    help: 'Size of the files of the prefix cache on disk.',
    registers,
    collect() {
      this.set(snapshot().prefixFiles.bytes);
    },
  });
  new Gauge({
    name: 'hearth_prefix_cache_disk_files',
    help: 'Files of the prefix cache on disk.',
    registers,
    collect() {
      this.set(snapshot().prefixFiles.files);
    },
  });
  const loadGauges: Record<keyof ServerLoad, readonly [name: string, help: string]> = {
    running: ['requests_running', 'Requests that a model works on.'],
    waiting: ['requests_waiting', 'Requests that wait for a model or for their turn.'],
    cacheUsage: ['kv_cache_usage_ratio', 'Used part of the KV cache, from 0 to 1, of the model with the fullest one.'],
  };
  for (const [key, [name, help]] of Object.entries(loadGauges))
    new Gauge({
      name: `hearth_${name}`,
      help,
      registers,
      collect() {
        this.set(sumLoad(snapshot())[key as keyof ServerLoad]);
      },
    });
  new Gauge({
    name: 'hearth_leases',
    help: 'Requests that hold a lease on a model.',
    labelNames: ['model'],
    registers,
    collect() {
      this.reset();
      for (const { name, leases } of snapshot().models) this.inc({ model: labelOf(name) }, leases);
    },
  });
}

// Label values that come from users. Each is a time series for as long as the server runs, so their number is limited.

/** Returns the name itself, or "other" for new names past the limit. */
function createBoundedLabel(limit: number): (name: string) => string {
  const known = new Set<string>();
  return (name) => {
    if (known.has(name)) return name;
    if (known.size >= limit) return 'other';
    known.add(name);
    return name;
  };
}
