// Options under the names that each kind of remote has for them.

import { type OptionKey, type OptionValues, optionName, optionTable } from '../../../models/options.ts';
import type { RemoteKind } from '../endpoint.ts';

type OpenAiKind = Exclude<RemoteKind, 'ollama'>;
type Fields = Readonly<Partial<Record<OptionKey, string>>>;

const openAiFields: Fields = {
  temperature: 'temperature',
  topP: 'top_p',
  presencePenalty: 'presence_penalty',
  frequencyPenalty: 'frequency_penalty',
  seed: 'seed',
  numPredict: 'max_tokens',
};

const batchEngineFields: Fields = {
  ...openAiFields,
  topK: 'top_k',
  minP: 'min_p',
  repeatPenalty: 'repetition_penalty',
  ignoreEos: 'ignore_eos',
  minTokens: 'min_tokens',
};

/** An option that is not listed does not exist there. `stop` has limits of its own. */
const optionFields: Readonly<Record<OpenAiKind, Fields>> = {
  openai: openAiFields,
  vllm: batchEngineFields,
  sglang: batchEngineFields,
  'llama-server': {
    ...openAiFields,
    topK: 'top_k',
    minP: 'min_p',
    typicalP: 'typical_p',
    repeatPenalty: 'repeat_penalty',
    repeatLastN: 'repeat_last_n',
    mirostat: 'mirostat',
    mirostatTau: 'mirostat_tau',
    mirostatEta: 'mirostat_eta',
    numKeep: 'n_keep',
    ignoreEos: 'ignore_eos',
    dryMultiplier: 'dry_multiplier',
    dryBase: 'dry_base',
    dryAllowedLength: 'dry_allowed_length',
    dryPenaltyLastN: 'dry_penalty_last_n',
    drySequenceBreakers: 'dry_sequence_breakers',
    xtcProbability: 'xtc_probability',
    xtcThreshold: 'xtc_threshold',
    topNSigma: 'top_n_sigma',
    dynatempRange: 'dynatemp_range',
    dynatempExponent: 'dynatemp_exponent',
  },
};

/** How many stop sequences a request may have. */
const maxStops: Readonly<Record<OpenAiKind, number>> = {
  openai: 4,
  vllm: 4,
  sglang: 4,
  'llama-server': Number.POSITIVE_INFINITY,
};

interface TranslatedOptions {
  readonly fields: Readonly<Record<string, unknown>>;
  /** Options that the remote does not have, by the names that requests use. */
  readonly ignored: readonly string[];
  /** Stop sequences beyond the number that the remote accepts. */
  readonly ownStops: readonly string[];
}

export function translateOptions(kind: OpenAiKind, { stop = [], ...options }: OptionValues): TranslatedOptions {
  const names = optionFields[kind];
  const fields: Record<string, unknown> = {};
  const ignored: string[] = [];
  for (const [key, value] of Object.entries(options) as [OptionKey, unknown][]) {
    const name = names[key];
    if (name === undefined) {
      // A value that changes nothing is not missed.
      if (value !== optionTable[key].default) ignored.push(optionName(key));
    } else if (!isAbsent(key, value)) fields[name] = toValue(kind, key, value);
  }
  const sent = stop.slice(0, maxStops[kind]);
  return {
    fields: { ...fields, ...(sent.length > 0 ? { stop: sent } : {}) },
    ignored,
    ownStops: stop.slice(sent.length),
  };
}

/** These values mean that there is no seed and no limit. */
function isAbsent(key: OptionKey, value: unknown): boolean {
  return (key === 'seed' && value === -1) || (key === 'numPredict' && (value as number) <= 0);
}

function toValue(kind: OpenAiKind, key: OptionKey, value: unknown): unknown {
  // 0 means all tokens here, and -1 there.
  return key === 'topK' && value === 0 && kind !== 'llama-server' ? -1 : value;
}

/** For Ollama and Hearth, which have all options under the same names. */
export function toOllamaOptions(options: OptionValues): Readonly<Record<string, unknown>> {
  const entries = Object.entries(options) as [OptionKey, unknown][];
  return Object.fromEntries(entries.map(([key, value]) => [optionName(key), value]));
}
