// Converts the fields that every request for a loaded model has. All dialects convert them here.

import { HearthError } from '../../base/errors.ts';
import { parseKeepAlive } from '../../models/keep-alive.ts';
import { type ModelName, parseModelName } from '../../models/name.ts';

export interface ModelFields {
  readonly model?: string;
  readonly options?: Readonly<Record<string, unknown>>;
  readonly keep_alive?: unknown;
}

export interface ModelInput {
  /** Empty if the request names no model. */
  readonly model: string;
  readonly options: Readonly<Record<string, unknown>>;
  /** Absent: the setting of the server applies. */
  readonly keepAlive?: number;
}

export function toModelInput({ model = '', options = {}, keep_alive }: ModelFields): ModelInput {
  return { model, options, ...(keep_alive === undefined ? {} : { keepAlive: parseKeepAlive(keep_alive) }) };
}

/** A missing model has its own message, which clients know. */
export function readModelName(text: string | undefined): ModelName {
  if (text === undefined || text === '') throw new HearthError('bad_request', 'model is required');
  return parseModelName(text);
}
