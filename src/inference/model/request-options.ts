// The options of a request: its own override the model's, which override the defaults.

import { HearthError } from '../../base/errors.ts';
import {
  type LoadOptions,
  type OptionValues,
  type ParsedOptions,
  resolveOptions,
  type SampleOptions,
} from '../../models/options.ts';

// Every token is compared with every stop sequence: an unlimited list would slow down all requests of the model.
const maxStops = 128;
const maxStopLength = 1024;

/** The options of the load. Throws `bad_request` for stop sequences beyond the limits. */
export function resolveRequestOptions(modelOptions: OptionValues, { values }: ParsedOptions): LoadOptions {
  const options = resolveOptions(modelOptions, values);
  checkStops(options.sample);
  return options.load;
}

function checkStops({ stop }: SampleOptions): void {
  if (stop.length > maxStops)
    throw new HearthError('bad_request', `stop has ${stop.length} entries; the maximum is ${maxStops}`);
  if (stop.some((text) => text.length > maxStopLength))
    throw new HearthError('bad_request', `a stop sequence is longer than ${maxStopLength} characters`);
}
