// A model's config blob: format, family and size of the model.

import { isAbsolute } from 'node:path';
import type { Digest } from '../../../base/digest.ts';
import { asObject, parseJson } from '../../../base/json-values.ts';
import type { ModelDetails } from '../../details.ts';
import { type EngineName, isCheckpointName, isEngineName } from '../../engine-parameters.ts';
import { decodeOrigin, encodeOrigin, type PackageOrigin } from '../../package-origin.ts';

export function encodeModelConfig(
  details: ModelDetails,
  layers: readonly Digest[],
  {
    origin,
    remote,
    hosted,
    isSpeech,
    renderer,
    parser,
  }: OllamaCodecs & {
    readonly origin?: PackageOrigin | undefined;
    readonly remote?: StoredRemoteModel | undefined;
    readonly hosted?: StoredHostedModel | undefined;
    /** The weights are those of a Whisper model. */
    readonly isSpeech?: boolean | undefined;
  } = {},
): Buffer {
  const config = {
    model_format: details.format,
    model_family: details.family,
    model_families: details.families,
    model_type: details.parameterSize,
    file_type: details.quantizationLevel,
    // Constants of the format, unrelated to this machine.
    architecture: 'amd64',
    os: 'linux',
    rootfs: { type: 'layers', diff_ids: layers },
    // Other programs ignore it.
    origin: origin && encodeOrigin(origin),
    renderer,
    parser,
    ...(remote === undefined ? {} : encodeRemoteModel(remote)),
    ...(hosted === undefined ? {} : encodeHostedModel(hosted)),
    ...(isSpeech ? { engine: 'whisper', capabilities: speechCapabilities } : {}),
  };
  return Buffer.from(JSON.stringify(config));
}

/** A model that runs on another host: Ollama's stub of one, or a model of a remote. */
export interface StoredRemoteModel {
  readonly model: string;
  /** A model of a remote has the name of the remote here. */
  readonly host: string;
  readonly capabilities: readonly string[];
  readonly contextLength?: number;
}

function encodeRemoteModel({ model, host, capabilities, contextLength }: StoredRemoteModel): object {
  return {
    remote_model: model,
    remote_host: host,
    capabilities,
    ...(contextLength === undefined ? {} : { context_length: contextLength }),
  };
}

/** Undefined for a model with weights of its own. */
export function decodeRemoteModel(bytes: Buffer): StoredRemoteModel | undefined {
  const config = asObject(parseJson(bytes.toString('utf8')));
  const { remote_model: model, remote_host: host, capabilities, context_length: contextLength } = config;
  if (typeof model !== 'string' || typeof host !== 'string' || (model === '' && host === '')) return undefined;
  return {
    model,
    host,
    capabilities: Array.isArray(capabilities) ? capabilities.map(String) : [],
    contextLength: Number.isSafeInteger(contextLength) ? (contextLength as number) : undefined,
  };
}

/** A checkpoint that another engine than llama.cpp runs on this machine. */
export interface StoredHostedModel {
  readonly engine: EngineName;
  /** A folder of this machine, or a name that the engine resolves. */
  readonly checkpoint: string;
  readonly capabilities: readonly string[];
  readonly contextLength?: number | undefined;
}

function encodeHostedModel({ engine, checkpoint, capabilities, contextLength }: StoredHostedModel): object {
  return { engine, checkpoint, capabilities, context_length: contextLength };
}

/** Undefined for a model that llama.cpp runs, and for one whose engine is not known. A registry may have sent the config. */
export function decodeHostedModel(bytes: Buffer): StoredHostedModel | undefined {
  const config = asObject(parseJson(bytes.toString('utf8')));
  const { engine, checkpoint, capabilities, context_length: contextLength } = config;
  if (typeof engine !== 'string' || typeof checkpoint !== 'string' || !isEngineName(engine)) return undefined;
  if (!isAbsolute(checkpoint) && !isCheckpointName(checkpoint)) return undefined;
  return {
    engine,
    checkpoint,
    capabilities: Array.isArray(capabilities) ? capabilities.map(String) : [],
    contextLength: Number.isSafeInteger(contextLength) ? (contextLength as number) : undefined,
  };
}

export const speechCapabilities = ['transcription'];

/** Whether the weights are those of a Whisper model. */
export function isSpeechConfig(bytes: Buffer): boolean {
  return asObject(parseJson(bytes.toString('utf8')))['engine'] === 'whisper';
}

/** Undefined for a model that did not come from a package. */
export function decodeModelOrigin(bytes: Buffer): PackageOrigin | undefined {
  return decodeOrigin(asObject(parseJson(bytes.toString('utf8')))['origin']);
}

/** Parts of Ollama that write the prompts of a model and read its answers, by name. Absent: its template does. */
export interface OllamaCodecs {
  readonly renderer?: string;
  readonly parser?: string;
}

export function decodeCodecs(bytes: Buffer): OllamaCodecs {
  const config = asObject(parseJson(bytes.toString('utf8')));
  const name = (key: string): string | undefined => {
    const value = config[key];
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  return { renderer: name('renderer'), parser: name('parser') };
}

/** Missing or invalid fields become empty: one bad config must not break the listing of models. */
export function decodeModelConfig(bytes: Buffer): ModelDetails {
  const config = asObject(parseJson(bytes.toString('utf8')));
  const text = (key: string): string => (typeof config[key] === 'string' ? config[key] : '');
  const families = config['model_families'];
  return {
    format: text('model_format'),
    family: text('model_family'),
    families: Array.isArray(families) ? families.map(String) : null,
    parameterSize: text('model_type'),
    quantizationLevel: text('file_type'),
  };
}
