// Model names as values: parsed once at the edge, valid from then on.
//
//   name      = [ scheme ] [ [ host "/" ] namespace "/" ] model [ ":" tag ]
//   scheme    = "http://" | "https://"                         (accepted, dropped)
//   host      = first { alnum | "_" | "-" | "." | ":" }        1 to 350 bytes
//   namespace = first { alnum | "_" | "-" }                    1 to 80 bytes
//   model     = first { alnum | "_" | "-" | "." }              1 to 80 bytes
//   tag       = first { alnum | "_" | "-" | "." }              1 to 80 bytes
//   first     = alnum | "_"
//
// The tag starts at the last ":" only if that follows the last "/"; otherwise the ":" belongs to a port.
// No part can be empty, "." or "..", or contain a separator: a name is safe as a path.

import { HearthError } from '../base/errors.ts';

export interface ModelName {
  readonly host: string;
  readonly namespace: string;
  readonly model: string;
  readonly tag: string;
}

export const defaultHost = 'registry.ollama.ai';
const defaultNamespace = 'library';
export const defaultTag = 'latest';

const grammar: Readonly<Record<keyof ModelName, { readonly pattern: RegExp; readonly maxLength: number }>> = {
  host: { pattern: /^[A-Za-z0-9_][A-Za-z0-9_.:-]*$/, maxLength: 350 },
  namespace: { pattern: /^[A-Za-z0-9_][A-Za-z0-9_-]*$/, maxLength: 80 },
  model: { pattern: /^[A-Za-z0-9_][A-Za-z0-9_.-]*$/, maxLength: 80 },
  tag: { pattern: /^[A-Za-z0-9_][A-Za-z0-9_.-]*$/, maxLength: 80 },
};

/** Fills in defaults; spaces around the name are ignored. Throws `bad_request` for an invalid name. */
export function parseModelName(text: string): ModelName {
  const name = splitName(text);
  for (const part of ['host', 'namespace', 'model', 'tag'] as const) {
    const { pattern, maxLength } = grammar[part];
    if (name[part].length > maxLength || !pattern.test(name[part])) {
      throw new HearthError('bad_request', 'invalid model name');
    }
  }
  return name;
}

function splitName(text: string): ModelName {
  let rest = text.trim().replace(/^https?:\/\//, '');
  let tag = defaultTag;
  const colon = rest.lastIndexOf(':');
  if (colon > rest.lastIndexOf('/')) {
    tag = rest.slice(colon + 1);
    rest = rest.slice(0, colon);
  }
  const parts = rest.split('/');
  const model = parts.pop() ?? '';
  const namespace = parts.pop() ?? defaultNamespace;
  const host = parts.length === 0 ? defaultHost : parts.join('/');
  return { host, namespace, model, tag };
}

/** The shortest text that parses back to the same name; the tag is always shown. */
export function formatModelName({ host, namespace, model, tag }: ModelName): string {
  if (host !== defaultHost) return `${host}/${namespace}/${model}:${tag}`;
  if (namespace !== defaultNamespace) return `${namespace}/${model}:${tag}`;
  return `${model}:${tag}`;
}

/** Model names are case-insensitive. */
export function sameModelName(a: ModelName, b: ModelName): boolean {
  return fullName(a).toLowerCase() === fullName(b).toLowerCase();
}

function fullName({ host, namespace, model, tag }: ModelName): string {
  return `${host}/${namespace}/${model}:${tag}`;
}

// A model as a request names it: the parsed name for the store, and the caller's own text for responses and messages.

export interface RequestedModel {
  readonly name: ModelName;
  readonly text: string;
}

/** The error of a model that is not in the store, with `message` unless the name is one of Ollama's cloud. */
export function missingModel({ name, text }: RequestedModel, message: string): HearthError {
  if (!/^(.*-)?cloud$/i.test(name.tag)) return new HearthError('model_not_found', message);
  // Clients of Ollama know the beginning of this sentence.
  const reason = `ollama cloud is disabled: "${text}" is a model of ollama.com`;
  return new HearthError(
    'cloud_model',
    `${reason}, and Hearth runs only models in its store, on this machine or a remote`,
  );
}

/** Throws `bad_request`: with `message` if it is given, because some endpoints have error texts of their own. */
export function parseRequestedModel(given: string, message?: string): RequestedModel {
  const text = given.trim();
  try {
    if (text === '') throw new HearthError('bad_request', 'model is required');
    return { name: parseModelName(text), text };
  } catch (error) {
    throw message === undefined ? error : new HearthError('bad_request', message);
  }
}
