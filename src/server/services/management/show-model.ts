// Details of a model.

import type { Logger } from '../../../base/logger.ts';
import { shortestFloat32 } from '../../../base/text/float32.ts';
import type { GgufMetadata, GgufValue } from '../../../formats/gguf/metadata.ts';
import { readGgufFile } from '../../../formats/gguf/read-gguf.ts';
import type { AcquireRequest, Engine } from '../../../inference/engine/ports.ts';
import { type Capability, type DescribeModel, planLoad } from '../../../inference/local/describe-model.ts';
import type { ModelFactsReader } from '../../../inference/local/files/model-facts.ts';
import type { Message } from '../../../inference/model/conversation.ts';
import { fitText, type LoadFit } from '../../../inference/model/load-fit.ts';
import type { OpenModel } from '../../../inference/model/model.ts';
import type { HostedModelSource, ModelSource } from '../../../inference/model/model-source.ts';
import type { ModelDetails } from '../../../models/details.ts';
import { formatModelName, missingModel, type RequestedModel } from '../../../models/name.ts';
import { type OptionKey, type OptionValues, optionName, parseOptions } from '../../../models/options.ts';
import type { PackageOrigin } from '../../../models/package-origin.ts';
import type { RemoteReference } from '../../../models/remote-reference.ts';
import { decodeModelConfig, decodeModelOrigin } from '../../../models/store/manifests/model-config.ts';
import type { Store } from '../../../models/store/store.ts';
import { findWeightsIn, readLicenses, readStoredModel } from '../models/open-model.ts';
import { contextOfNext, type ShownContext } from '../models/shown-context.ts';
import { printParameters, showModelfile } from './show-modelfile.ts';

interface ShowInput {
  readonly model: RequestedModel;
  /** Includes long arrays of the metadata. */
  readonly verbose: boolean;
  /** Says whether the model would fit. */
  readonly fit?: boolean;
  /** Empty: the model's own. */
  readonly system: string;
  /** Modelfile parameters that override the model's own. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

export interface ShownModel {
  readonly licenses: readonly string[];
  readonly modelfile: string;
  readonly parameters: string;
  readonly template: string;
  readonly system: string;
  /** Empty: the template writes the prompts, and says how to read the answers. */
  readonly renderer: string;
  readonly parser: string;
  readonly messages: readonly Message[];
  readonly details: ModelDetails;
  readonly parentModel: string;
  /** Undefined if the model did not come from a package. */
  readonly origin: PackageOrigin | undefined;
  /** Undefined if the model runs on this machine. */
  readonly remote: RemoteReference | undefined;
  /** Undefined if llama.cpp or a remote runs the model. */
  readonly hosted: Pick<HostedModelSource, 'engine' | 'checkpoint'> | undefined;
  /** The dialect of the file with the weights. Undefined if llama.cpp loads it as it is. */
  readonly dialect: 'ollama' | undefined;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly projectorMetadata: Readonly<Record<string, unknown>> | undefined;
  readonly capabilities: readonly Capability[];
  /** The levels of thinking that the model tells apart. */
  readonly thinkLevels: readonly string[];
  /** The context of a request without num_ctx. Undefined if the options of the model contradict the settings. */
  readonly context: ShownContext | undefined;
  /** Only if it was asked for, and the model runs on this machine. */
  readonly fit: { readonly verdict: LoadFit['verdict']; readonly text: string } | undefined;
  readonly adapters: readonly ShownAdapter[];
  /** Only in the verbose form. */
  readonly tensors: readonly ShownTensor[] | undefined;
  /** The time in milliseconds since the epoch. */
  readonly modifiedAt: number;
}

/** As the option `adapters` selects it. */
interface ShownAdapter {
  readonly id: number;
  readonly name: string;
}

interface ShownTensor {
  readonly name: string;
  readonly type: string;
  readonly shape: readonly number[];
}

export type ShowModel = (input: ShowInput) => Promise<ShownModel>;

// Longer arrays are vocabularies of several megabytes.
const maxShownArray = 1024;

interface ShowServices {
  readonly store: Store;
  readonly facts: ModelFactsReader;
  readonly describeModel: DescribeModel;
  readonly engine: Pick<Engine, 'planContext' | 'judgeLoad'>;
  readonly logger: Logger;
}

export function createShowModel(services: ShowServices): ShowModel {
  const { store, describeModel } = services;
  return async ({ model: requested, verbose, fit, system, parameters: overrides }) => {
    const stored = await store.find(requested.name);
    if (stored === undefined) throw missingModel(requested, `model '${formatModelName(requested.name)}' not found`);
    const model = await readStoredModel(store, stored);
    const licenses = await readLicenses(store, stored);
    const { capabilities, thinkLevels, template, ownTemplate } = await describeModel(model);
    const given = parseOptions(overrides).values;
    const parameters = { ...model.parameters, ...toParameters(given) };
    const shown = { ...model, licenses, template: ownTemplate, system: system || model.system, parameters };
    const config = await store.readBlob(stored.manifest.config);
    const load = await nextLoad(services, model, given);
    return {
      licenses,
      modelfile: showModelfile(shown),
      parameters: printParameters(parameters),
      template,
      system: shown.system,
      renderer: model.renderer,
      parser: model.parser,
      messages: model.messages,
      details: decodeModelConfig(config),
      parentModel: model.parentModel,
      origin: decodeModelOrigin(config),
      ...(await readFiles(model.files, { verbose, family: decodeModelConfig(config).family })),
      dialect: (await services.facts.read(model.files)).translated && 'ollama',
      capabilities,
      thinkLevels,
      context: load && contextOfNext(services.engine, load),
      fit: load && fit ? await describeFit(services.engine, load) : undefined,
      modifiedAt: stored.modifiedAt,
    };
  };
}

type FileFacts = Pick<ShownModel, 'remote' | 'hosted' | 'metadata' | 'projectorMetadata' | 'adapters' | 'tensors'>;

/** Under the names that a GGUF file has. */
function metadataOf({ contextLength }: HostedModelSource, family: string): Record<string, unknown> {
  if (family === '') return {};
  return { 'general.architecture': family, [`${family}.context_length`]: contextLength };
}

async function readFiles(
  files: ModelSource,
  { verbose, family }: { readonly verbose: boolean; readonly family: string },
): Promise<FileFacts> {
  const none = { projectorMetadata: undefined, adapters: [], tensors: undefined };
  if (files.kind === 'remote') return { remote: files, hosted: undefined, metadata: {}, ...none };
  if (files.kind === 'hosted')
    return { remote: undefined, hosted: files, metadata: metadataOf(files, family), ...none };
  const { weightsPath, projectorPath, adapterPaths } = files;
  return {
    remote: undefined,
    hosted: undefined,
    metadata: await readMetadata(weightsPath, verbose),
    projectorMetadata: projectorPath === undefined ? undefined : await readMetadata(projectorPath, verbose),
    adapters: await Promise.all(adapterPaths.map(readAdapter)),
    tensors: verbose ? await readTensors(weightsPath) : undefined,
  };
}

async function describeFit(engine: ShowServices['engine'], load: AcquireRequest): Promise<ShownModel['fit']> {
  const fit = await engine.judgeLoad(load);
  return fit && { verdict: fit.verdict, text: fitText(fit) };
}

function nextLoad(services: ShowServices, model: OpenModel, given: OptionValues) {
  const findWeights = (name: string) => findWeightsIn(services.store, name);
  return planLoad({ ...services, findWeights }, model, given);
}

/** Under the names of Modelfile parameters. */
function toParameters(values: OptionValues): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [optionName(key as OptionKey), value]));
}

async function readMetadata(path: string, verbose: boolean): Promise<Record<string, unknown>> {
  const gguf = await readGgufFile(path, verbose ? {} : { maxArray: maxShownArray });
  const parameters = gguf.tensors.reduce(
    (sum, { shape }) => sum + shape.reduce((product, size) => product * size, 1),
    0,
  );
  return { ...toPlain(gguf.metadata), 'general.parameter_count': parameters };
}

/** A damaged adapter has no name. Loading it fails with a better message. */
async function readAdapter(path: string, id: number): Promise<ShownAdapter> {
  const gguf = await readGgufFile(path, { maxArray: 0 }).catch(() => undefined);
  const name = gguf?.metadata.get('general.name');
  return { id, name: typeof name === 'string' ? name : '' };
}

async function readTensors(path: string): Promise<ShownTensor[]> {
  const { tensors } = await readGgufFile(path, { maxArray: 0 });
  return tensors.map(({ name, type, shape }) => ({ name, type: type.name, shape }));
}

// The response has other fields for these.
const shownElsewhere: ReadonlySet<string> = new Set(['general.name', 'tokenizer.chat_template']);

function toPlain(metadata: GgufMetadata): Record<string, unknown> {
  const entries = [...metadata].filter(([key]) => !shownElsewhere.has(key));
  return Object.fromEntries(entries.map(([key, value]) => [key, toJsonValue(value)]));
}

// JSON has neither large integers nor NaN. Most numbers with a fraction are float32.
function toJsonValue(value: GgufValue): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (typeof value === 'number') return Number.isFinite(value) ? shortestFloat32(value) : null;
  return Array.isArray(value) ? value.map(toJsonValue) : value;
}
