// Model names as a value: parsed once at the edge, valid ever after.
//
//   name      = [ scheme ] [ [ host "/" ] namespace "/" ] model [ ":" tag ]
//   scheme    = "http://" | "https://"                         (tolerated, dropped)
//   host      = first { alnum | "_" | "-" | "." | ":" }        1 to 350 bytes
//   namespace = first { alnum | "_" | "-" }                    1 to 80 bytes
//   model     = first { alnum | "_" | "-" | "." }              1 to 80 bytes
//   tag       = first { alnum | "_" | "-" | "." }              1 to 80 bytes
//   first     = alnum | "_"
//
// The tag is cut at the last ":" only when that stands behind the last "/", so that a port in the host
// is not taken for one. No part can be empty, "." or ".." or hold a separator: a name is safe as a path.

import { HearthError } from '../base/errors.ts';

export interface ModelName {
  readonly host: string;
  readonly namespace: string;
  readonly model: string;
  readonly tag: string;
}

export const defaultHost = 'registry.ollama.ai';
export const defaultNamespace = 'library';
export const defaultTag = 'latest';

const grammar: Readonly<Record<keyof ModelName, { readonly pattern: RegExp; readonly longest: number }>> = {
  host: { pattern: /^[A-Za-z0-9_][A-Za-z0-9_.:-]*$/, longest: 350 },
  namespace: { pattern: /^[A-Za-z0-9_][A-Za-z0-9_-]*$/, longest: 80 },
  model: { pattern: /^[A-Za-z0-9_][A-Za-z0-9_.-]*$/, longest: 80 },
  tag: { pattern: /^[A-Za-z0-9_][A-Za-z0-9_.-]*$/, longest: 80 },
};

/** The name in `text`, with defaults filled in; throws `bad_request` when it is not one. */
export function parseModelName(text: string): ModelName {
  const name = splitName(text);
  for (const part of ['host', 'namespace', 'model', 'tag'] as const) {
    const { pattern, longest } = grammar[part];
    if (name[part].length > longest || !pattern.test(name[part])) {
      throw new HearthError('bad_request', 'invalid model name');
    }
  }
  return name;
}

function splitName(text: string): ModelName {
  let rest = text.replace(/^https?:\/\//, '');
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

/** Two names that differ only in case name the same model. */
export function sameModelName(a: ModelName, b: ModelName): boolean {
  return fullName(a).toLowerCase() === fullName(b).toLowerCase();
}

function fullName({ host, namespace, model, tag }: ModelName): string {
  return `${host}/${namespace}/${model}:${tag}`;
}
