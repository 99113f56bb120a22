// The services over a store in a temporary folder and a fake engine, without HTTP.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '../../src/base/logger.ts';
import { createJinjaRenderer } from '../../src/formats/chat/jinja/jinja-renderer.ts';
import type { GgufEntry } from '../../src/formats/gguf/encode-entry.ts';
import type { Compute } from '../../src/inference/compute/compute.ts';
import { createTasks, type TaskInput, type TaskName, type TaskResult } from '../../src/inference/compute/tasks.ts';
import { createGrammars } from '../../src/inference/local/constrain/hold-calls.ts';
import { createDescribeModel, type DescribeModel } from '../../src/inference/local/describe-model.ts';
import { createModelFactsReader, type ModelFactsReader } from '../../src/inference/local/files/model-facts.ts';
import { type ChooseTemplate, createChooseTemplate } from '../../src/inference/local/render/choose-template.ts';
import { parseModelName } from '../../src/models/name.ts';
import { mediaTypes } from '../../src/models/store/manifests/manifest.ts';
import { encodeModelConfig } from '../../src/models/store/manifests/model-config.ts';
import { createStore, type Store } from '../../src/models/store/store.ts';
import { createOpenModels } from '../../src/server/compose/create-generation.ts';
import type { LoadServices } from '../../src/server/services/generation/load-model.ts';
import type { AnswerObserved, ServiceObserver } from '../../src/server/services/generation/observer.ts';
import { createFakeClock } from './fake-clock.ts';
import { createFakeEngine, type EngineScript, type FakeEngine } from './fake-engine.ts';
import { type TensorSource, writeGguf } from './models/write-gguf.ts';

export interface ModelContent {
  /** Metadata of the weights; `general.architecture` is llama if it is not given. */
  readonly metadata?: Readonly<Record<string, GgufEntry>>;
  readonly template?: string;
  readonly system?: string;
  readonly parameters?: Readonly<Record<string, unknown>>;
  readonly messages?: readonly { readonly role: string; readonly content: string }[];
  readonly license?: string;
  /** Names of tensors in the weights, each with one value. */
  readonly tensors?: readonly string[];
  /** The renderer of Ollama that the config names. */
  readonly renderer?: string;
  readonly parser?: string;
  /** Adds a projector. */
  readonly vision?: boolean;
}

export interface ServiceFixture {
  readonly root: string;
  readonly store: Store;
  putModel(name: string, content?: ModelContent): Promise<void>;
  /** Services for one test, with an engine of their own. */
  createServices(script?: EngineScript): TestServices;
  /** The bytes of a small GGUF file. */
  gguf(metadata?: Readonly<Record<string, GgufEntry>>, tensors?: readonly string[]): Buffer;
  remove(): void;
}

export interface TestServices extends LoadServices {
  readonly facts: ModelFactsReader;
  readonly chooseTemplate: ChooseTemplate;
  readonly describeModel: DescribeModel;
  readonly engine: FakeEngine;
  readonly logs: string[];
  readonly answered: AnswerObserved[];
  /** Models of requests whose wait was observed. */
  readonly waited: string[];
}

/** Runs every task at once, in this thread. */
export function createComputeHere(): Compute {
  const tasks = createTasks();
  return async <Name extends TaskName>(name: Name, input: TaskInput<Name>) =>
    (tasks[name] as (input: TaskInput<Name>) => TaskResult<Name> | Promise<TaskResult<Name>>)(input);
}

export function createServiceFixture(): ServiceFixture {
  const root = mkdtempSync(join(tmpdir(), 'hearth-services-'));
  const models = join(root, 'models');
  const store = createStore(models);
  const facts = createModelFactsReader();
  const jinja = createJinjaRenderer(createFakeClock());
  const compute = createComputeHere();
  const chooseTemplate = createChooseTemplate({ facts, jinja, compute });

  function gguf(metadata: Readonly<Record<string, GgufEntry>> = {}, tensors: readonly string[] = []): Buffer {
    const path = join(root, 'header.gguf');
    writeGguf(path, { 'general.architecture': { type: 'string', value: 'llama' }, ...metadata }, tensors.map(oneValue));
    return readFileSync(path);
  }

  async function putModel(name: string, content: ModelContent = {}): Promise<void> {
    const { template, system, parameters, messages, license, vision, metadata, tensors, renderer, parser } = content;
    const texts: Readonly<Record<string, string | undefined>> = {
      [mediaTypes.template]: template,
      [mediaTypes.system]: system,
      [mediaTypes.params]: parameters && JSON.stringify(parameters),
      [mediaTypes.messages]: messages && JSON.stringify(messages),
      [mediaTypes.license]: license,
    };
    const layers = [await store.putBlob(gguf(metadata, tensors), mediaTypes.model)];
    if (vision) layers.push(await store.putBlob(projectorOf(gguf), mediaTypes.projector));
    for (const [type, text] of Object.entries(texts))
      if (text !== undefined) layers.push(await store.putBlob(Buffer.from(text), type));
    const details = { format: 'gguf', family: 'llama', families: ['llama'], parameterSize: '0', quantizationLevel: '' };
    const config = encodeModelConfig(
      details,
      layers.map(({ digest }) => digest),
      { renderer, parser },
    );
    await store.putManifest(parseModelName(name), {
      schemaVersion: 2,
      mediaType: mediaTypes.manifest,
      config: await store.putBlob(config, mediaTypes.config),
      layers,
    });
  }

  function createServices(script: EngineScript = {}): TestServices {
    const clock = createFakeClock();
    const logs: string[] = [];
    const answered: AnswerObserved[] = [];
    const waited: string[] = [];
    const observer: ServiceObserver = {
      waited: (model) => void waited.push(model),
      answered: (answer) => void answered.push(answer),
      embedded: () => {},
      ranked: () => {},
    };
    const logger = createLogger({ clock, level: 'info', write: (line) => void logs.push(line) });
    const engine = createFakeEngine(script);
    const grammars = createGrammars(compute);
    const refuse = async (): Promise<never> => {
      throw new Error('there are only images, and none is a WebP');
    };
    let calls = 0;
    const prompts = {
      facts,
      chooseTemplate,
      grammars,
      media: { convertWebp: refuse, decodeAudio: refuse },
      newCallId: () => `call_${++calls}`,
      describeCaller: () => ({}),
      waitFailed: observer.waited,
      clock,
      logger,
    };
    const openModel = createOpenModels(prompts, {
      local: engine,
      remote: engine,
      hosted: engine,
      hold: () => Promise.reject(new Error('there are no speech models')),
    });
    const describeModel = createDescribeModel({ facts, chooseTemplate, logger });
    const openMeter = () => ({ count: () => true, close: () => {} });
    const own = { store, engine, openModel, openMeter, facts, chooseTemplate, describeModel, clock, logger, observer };
    return { ...own, logs, answered, waited };
  }

  return {
    root,
    store,
    putModel,
    createServices,
    gguf,
    remove() {
      jinja.stop();
      rmSync(root, { recursive: true });
    },
  };
}

function oneValue(name: string): TensorSource {
  return { name, shape: [1], type: 'F32', fill: () => {} };
}

/** The content of a model that is a reranker for its header. */
export function rerankerContent(architecture: 'bert' | 'qwen3'): ModelContent {
  const metadata: Record<string, GgufEntry> = {
    'general.architecture': { type: 'string', value: architecture },
    [`${architecture}.pooling_type`]: { type: 'u32', value: 4 },
  };
  return { metadata, tensors: ['cls.output.weight'] };
}

function projectorOf(gguf: ServiceFixture['gguf']): Buffer {
  return gguf({ 'general.architecture': { type: 'string', value: 'clip' } });
}

/** All events of a service. */
export async function collect<Event>(events: AsyncIterable<Event>): Promise<Event[]> {
  const collected: Event[] = [];
  for await (const event of events) collected.push(event);
  return collected;
}

/** A PNG file in base64. */
export const onePixelPng =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
