// The recipe of a new model, from a Modelfile or from the fields of a request.

import { dirname } from 'node:path';
import type { Digest } from '../../../base/digest.ts';
import { parseDigest } from '../../../base/digest.ts';
import { HearthError } from '../../../base/errors.ts';
import type { ModelfileCommand } from '../../../formats/modelfile/modelfile.ts';
import { parametersOf } from '../../../formats/modelfile/parameters.ts';
import { parseModelfile } from '../../../formats/modelfile/parse-modelfile.ts';
import { parseReference, type Reference } from '../../../formats/modelfile/reference.ts';
import type { Message } from '../../../inference/model/conversation.ts';
import { type EngineName, isEngineName } from '../../../models/engine-parameters.ts';

export interface Recipe {
  /** Weights and projectors: files, blobs, or a base model. */
  readonly sources: readonly Reference[];
  readonly adapters: readonly Reference[];
  /** The draft model. */
  readonly draft?: Reference;
  /** Uploaded files of a model in safetensors format, instead of `sources`. */
  readonly checkpoint?: readonly NamedBlob[];
  /** Uploaded files of an adapter in safetensors format, instead of `adapters`. */
  readonly adapterCheckpoint?: readonly NamedBlob[];
  /** Absent texts are taken from the base model. */
  readonly template?: string;
  /** The line of the template in the Modelfile, if there is one. */
  readonly templateLine?: number;
  /** A Jinja template that replaces the one in the weights. */
  readonly chatTemplate?: string;
  readonly system?: string;
  /** What writes the prompts and reads the answers. */
  readonly renderer?: string;
  readonly parser?: string;
  /** What runs the model. Absent: llama.cpp, or the engine of the base model. */
  readonly engine?: EngineName | undefined;
  readonly messages?: readonly Message[];
  readonly parameters: Readonly<Record<string, unknown>>;
  /** In addition to those of the base model. */
  readonly licenses: readonly string[];
  /** The base of relative paths. */
  readonly folder: string;
  /** Messages for the author. */
  readonly warnings: readonly string[];
}

/** An uploaded file. */
export interface NamedBlob {
  /** A relative path. */
  readonly name: string;
  readonly digest: Digest;
}

export interface RecipeFields {
  readonly from: string;
  /** Digests of uploaded files by file name. */
  readonly files: Readonly<Record<string, string>>;
  readonly adapters: Readonly<Record<string, string>>;
  /** The name of the draft model. */
  readonly draft?: string;
  /** The uploaded file of the draft model, instead of its name. */
  readonly draftFiles?: Readonly<Record<string, string>>;
  readonly template?: string;
  readonly chatTemplate?: string;
  readonly system?: string;
  readonly messages?: readonly Message[];
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly licenses: readonly string[];
  readonly renderer?: string;
  readonly parser?: string;
  readonly engine?: EngineName | undefined;
}

/** `path` is the location of the Modelfile, if it is a file. */
export function recipeFromModelfile(source: string | Uint8Array, path?: string): Recipe {
  const modelfile = parseModelfile(source);
  const { values, deprecated } = parametersOf(modelfile);
  const texts = (kind: ModelfileCommand['kind']): string[] =>
    modelfile.commands.flatMap((command) => (command.kind === kind && 'value' in command ? [command.value] : []));
  const messages = modelfile.commands.flatMap((command) =>
    command.kind === 'message' ? [{ role: command.role, content: command.content }] : [],
  );
  const template = texts('template').at(-1);
  const templateLine = modelfile.lines?.[modelfile.commands.findLastIndex(({ kind }) => kind === 'template')];
  const system = texts('system').at(-1);
  const draft = texts('draft').at(-1);
  return {
    sources: texts('from').map(parseReference),
    adapters: texts('adapter').map(parseReference),
    draft: draft === undefined ? undefined : parseReference(draft),
    template,
    templateLine,
    system,
    renderer: texts('renderer').at(-1),
    parser: texts('parser').at(-1),
    engine: texts('engine').find(isEngineName),
    messages: messages.length > 0 ? messages : undefined,
    parameters: values,
    licenses: texts('license'),
    folder: path === undefined ? process.cwd() : dirname(path),
    warnings: deprecated.map((name) => `parameter ${name} is deprecated and ignored`),
  };
}

/** A text that is neither a name nor clearly a path is an invalid name: it must not be looked up in a folder. */
function parseFrom(text: string): Reference {
  const reference = parseReference(text);
  const isPath = /^(?:[\\/]|\.{1,2}[\\/]|~[\\/]|[A-Za-z]:[\\/])/.test(text);
  if (reference.kind === 'path' && !isPath) throw new HearthError('bad_request', 'invalid model name');
  return reference;
}

export function recipeFromFields(fields: RecipeFields): Recipe {
  const { from, files, adapters, draft = '', draftFiles = {}, ...rest } = fields;
  if (from === '' && Object.keys(files).length === 0)
    throw new HearthError('bad_request', "neither 'from' or 'files' was specified");
  const uploaded = from === '' ? namedBlobs(files) : [];
  const uploadedAdapters = namedBlobs(adapters);
  return {
    ...rest,
    ...(isCheckpoint(uploaded)
      ? { sources: [], checkpoint: uploaded }
      : { sources: from === '' ? uploaded.map(toReference) : [parseFrom(from)] }),
    ...(isCheckpoint(uploadedAdapters)
      ? { adapters: [], adapterCheckpoint: uploadedAdapters }
      : { adapters: uploadedAdapters.map(toReference) }),
    ...draftOf(draft, namedBlobs(draftFiles)),
    folder: process.cwd(),
    warnings: [],
  };
}

function draftOf(name: string, uploaded: readonly NamedBlob[]): Pick<Recipe, 'draft'> {
  const [file, ...more] = uploaded;
  if (more.length > 0 || isCheckpoint(uploaded))
    throw new HearthError('bad_request', 'a draft model must be one GGUF file');
  if (file !== undefined) return { draft: toReference(file) };
  return name === '' ? {} : { draft: parseFrom(name) };
}

function namedBlobs(files: Readonly<Record<string, string>>): NamedBlob[] {
  return Object.entries(files).map(([name, digest]) => {
    if (name.startsWith('/') || /^[A-Za-z]:/.test(name) || name.split(/[\\/]/).includes('..'))
      throw new HearthError('bad_request', 'file path must be relative');
    return { name, digest: parseDigest(digest) };
  });
}

function isCheckpoint(files: readonly NamedBlob[]): boolean {
  return files.some(({ name }) => name.endsWith('.safetensors'));
}

function toReference({ digest }: NamedBlob): Reference {
  return { kind: 'blob', digest };
}
