// The options that a request runs with: its own over the model's over the defaults.

import { HearthError } from '../../../base/errors.ts';
import type { Logger } from '../../../base/logger.ts';
import {
  type LoadOptions,
  type OptionValues,
  parseOptions,
  resolveOptions,
  type SampleOptions,
} from '../../../models/options.ts';

export interface RequestOptions {
  readonly load: LoadOptions;
  readonly sample: SampleOptions;
}

// Every token is held against every stop text: a list without end would slow all requests of the model down.
const maxStops = 128;
const maxStop = 1024;

export function readRequestOptions(
  ofModel: OptionValues,
  ofRequest: Readonly<Record<string, unknown>>,
  logger: Logger,
): RequestOptions {
  const { values, unknown } = parseOptions(ofRequest);
  if (unknown.length > 0) logger.warn('unknown options are ignored', { options: unknown.join(' ').slice(0, 200) });
  const options = resolveOptions(ofModel, values);
  checkStops(options.sample);
  return options;
}

function checkStops({ stop }: SampleOptions): void {
  if (stop.length > maxStops) {
    throw new HearthError('bad_request', `stop has ${stop.length} entries; at most ${maxStops} are possible`);
  }
  if (stop.some((text) => text.length > maxStop)) {
    throw new HearthError('bad_request', `an entry of stop is longer than ${maxStop} characters`);
  }
}
