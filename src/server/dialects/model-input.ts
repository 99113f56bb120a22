// Converts the fields that every request for a loaded model has. All dialects convert them here.

import { parseKeepAlive } from '../../models/keep-alive.ts';

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
