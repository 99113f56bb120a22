// A model as a request names it: the parsed name for the store, and the caller's own text for responses and messages.

import { HearthError } from '../base/errors.ts';
import { type ModelName, parseModelName } from './name.ts';

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
