// The table of options. Request `options`, PARAMETER lines, `show`, the reference page and the types in the runner's
// commands derive from it. `load` options apply to the loaded model: changing one loads the model again. `sample`
// options apply to one answer.

import { HearthError } from '../base/errors.ts';
import { formatAdapterScale, parseAdapterScale } from './adapter-scale.ts';
import { kvCacheTypeNames } from './kv-cache-types.ts';
import { formatShares, parseShares } from './shares.ts';
import { parseOverrides } from './tensor-overrides.ts';

interface OptionKinds {
  int: number;
  float: number;
  bool: boolean;
  strings: readonly string[];
  /** One of the `choices` of the row. */
  choice: string;
  /** Any text that is not too long. */
  text: string;
  /** Entries in the text form, such as 0=0.5. */
  adapters: readonly string[];
  /** In the text form, such as 3,1. */
  shares: string;
}

type OptionKind = keyof OptionKinds;

interface OptionRow<Kind extends OptionKind = OptionKind> {
  readonly kind: Kind;
  /** undefined: decided when the model is loaded. */
  readonly default: OptionKinds[Kind] | undefined;
  readonly scope: 'load' | 'sample';
  /** Values out of range are clamped: they are meaningless or would crash the engine. */
  readonly min?: number;
  readonly max?: number;
  /** Values other than the default are reduced modulo this number. */
  readonly modulus?: number;
  readonly choices?: readonly string[];
  /** Maximum characters of a text, or of each text in a list. */
  readonly maxLength?: number;
  /** For a text with a form of its own. */
  readonly form?: { readonly isValid: (text: string) => boolean; readonly example: string };
  /** Maximum texts in a list. */
  readonly maxItems?: number;
  readonly help: string;
}

const int32 = 2 ** 31 - 1;
const int = <Extra extends Omit<OptionRow<'int'>, 'kind'>>(row: Extra) => ({ kind: 'int' as const, ...row });
const float = <Extra extends Omit<OptionRow<'float'>, 'kind'>>(row: Extra) => ({ kind: 'float' as const, ...row });
const bool = <Extra extends Omit<OptionRow<'bool'>, 'kind'>>(row: Extra) => ({ kind: 'bool' as const, ...row });
const strings = <Extra extends Omit<OptionRow<'strings'>, 'kind'>>(row: Extra) => ({
  kind: 'strings' as const,
  ...row,
});

const choice = <const Choice extends string, Extra extends Omit<OptionRow<'choice'>, 'kind' | 'choices'>>(
  choices: readonly Choice[],
  row: Extra,
) => ({ kind: 'choice' as const, choices, ...row });
const text = <Extra extends Omit<OptionRow<'text'>, 'kind'>>(row: Extra) => ({ kind: 'text' as const, ...row });
const adapters = <Extra extends Omit<OptionRow<'adapters'>, 'kind'>>(row: Extra) => ({
  kind: 'adapters' as const,
  ...row,
});
const shares = <Extra extends Omit<OptionRow<'shares'>, 'kind'>>(row: Extra) => ({ kind: 'shares' as const, ...row });

const splitModes = ['none', 'layer', 'row'] as const;
export type SplitMode = (typeof splitModes)[number];

export const optionTable = {
  numCtx: int({
    default: undefined,
    scope: 'load',
    min: 4,
    max: int32,
    help: 'Context length in tokens, at most the trained context length. Default: the longest one that memory allows.',
  }),
  numBatch: int({
    default: 512,
    scope: 'load',
    min: 1,
    max: 8192,
    help: 'Maximum number of prompt tokens per pass.',
  }),
  numGpu: int({
    default: -1,
    scope: 'load',
    min: -1,
    max: int32,
    help: 'Layers on GPUs; -1 = as many as fit into their free memory. No effect without a GPU.',
  }),
  mainGpu: int({
    default: 0,
    scope: 'load',
    min: 0,
    max: 15,
    help: 'Index of the GPU that has the model alone, if split_mode is none. A value above 0 implies that mode.',
  }),
  splitMode: choice(splitModes, {
    default: undefined,
    scope: 'load',
    help: 'How GPUs share a model: none = only main_gpu, layer = by layers, row = by rows of matrices, where the backend supports it. Default: the setting.',
  }),
  tensorSplit: shares({
    default: undefined,
    scope: 'load',
    help: 'Shares of the GPUs, such as 3,1. Default: the setting, or by free memory.',
  }),
  numCpuMoe: int({
    default: -1,
    scope: 'load',
    min: -1,
    max: 1024,
    help: 'For a mixture of experts: the number of layers, from the first on, whose experts stay in main memory; -1 = as few as needed.',
  }),
  overrideTensor: text({
    default: undefined,
    scope: 'load',
    maxLength: 512,
    form: {
      isValid: (given: string) => given === '' || parseOverrides(given) !== undefined,
      example: String.raw`\.ffn_.*_exps\.=CPU`,
    },
    help: 'Where single tensors are: regular expressions for their names, each with a device such as CPU or CUDA0.',
  }),
  lowVram: bool({ default: false, scope: 'load', help: 'Keep the KV cache in main memory instead of GPU memory.' }),
  vocabOnly: bool({
    default: false,
    scope: 'load',
    help: 'Load only the vocabulary, not the weights. The model cannot generate.',
  }),
  useMmap: bool({
    default: undefined,
    scope: 'load',
    help: 'Map the model file into memory (true) or read it (false).',
  }),
  useMlock: bool({ default: false, scope: 'load', help: 'Lock the model in memory, so that it is not swapped out.' }),
  numa: bool({ default: false, scope: 'load', help: 'Distribute threads over the NUMA nodes.' }),
  numThread: int({
    default: 0,
    scope: 'load',
    min: 0,
    max: 512,
    help: 'Number of threads, at most one per logical processor; 0 = one per physical core.',
  }),
  kvCacheTypeK: choice(kvCacheTypeNames, {
    default: undefined,
    scope: 'load',
    help: 'Type of the keys in the KV cache. Default: the setting.',
  }),
  kvCacheTypeV: choice(kvCacheTypeNames, {
    default: undefined,
    scope: 'load',
    help: 'Type of the values in the KV cache. Default: the setting.',
  }),
  draftModel: text({
    default: undefined,
    scope: 'load',
    maxLength: 512,
    help: 'Name of a small model with the same vocabulary that drafts tokens; "" = none. Default: the DRAFT of the model.',
  }),
  predictionHead: bool({
    default: true,
    scope: 'load',
    help: 'Draft tokens with the prediction head (MTP) of the model, if it has one and no draft model is named.',
  }),
  numKeep: int({
    default: 4,
    scope: 'sample',
    min: -1,
    max: int32,
    help: 'Number of tokens at the start of the prompt to keep when the context is full; -1 = the entire prompt.',
  }),
  seed: int({
    default: -1,
    scope: 'sample',
    modulus: 2 ** 32,
    help: 'Random seed, modulo 2^32; -1 = a new seed for each answer.',
  }),
  numPredict: int({
    default: -1,
    scope: 'sample',
    min: -2,
    max: int32,
    help: 'Maximum number of tokens to generate; 0 or negative = ten times the context length, which is also the limit.',
  }),
  topK: int({
    default: 40,
    scope: 'sample',
    min: 0,
    max: int32,
    help: 'Sample from the k most likely tokens; 0 = all.',
  }),
  topP: float({
    default: 0.9,
    scope: 'sample',
    help: 'Sample from the most likely tokens with this total probability.',
  }),
  minP: float({
    default: 0,
    scope: 'sample',
    help: 'Minimum probability of a token, relative to the most likely token; 0 = off.',
  }),
  tfsZ: float({
    default: 1,
    scope: 'sample',
    help: 'Tail-free sampling: removes the flat tail of the distribution; 1 = off.',
  }),
  typicalP: float({ default: 1, scope: 'sample', help: 'Locally typical sampling; 1 = off.' }),
  repeatLastN: int({
    default: 64,
    scope: 'sample',
    min: -1,
    max: int32,
    help: 'Number of recent tokens that the penalties apply to; 0 = off, -1 = the entire context.',
  }),
  temperature: float({
    default: 0.8,
    scope: 'sample',
    help: 'Higher values give more varied text; 0 = always the most likely token.',
  }),
  repeatPenalty: float({
    default: 1,
    scope: 'sample',
    min: 1e-6,
    help: 'Penalty for recently used tokens; 1 = off.',
  }),
  presencePenalty: float({
    default: 0,
    scope: 'sample',
    help: 'Subtracted once from logits of recently used tokens.',
  }),
  frequencyPenalty: float({
    default: 0,
    scope: 'sample',
    help: 'Subtracted from logits of tokens for each recent use.',
  }),
  mirostat: int({
    default: 0,
    scope: 'sample',
    min: 0,
    max: 2,
    help: 'Mirostat sampling: 0 = off, 1 = Mirostat, 2 = Mirostat 2.0.',
  }),
  mirostatTau: float({ default: 5, scope: 'sample', help: 'Target entropy of Mirostat (tau).' }),
  mirostatEta: float({ default: 0.1, scope: 'sample', help: 'Learning rate of Mirostat (eta).' }),
  dryMultiplier: float({
    default: 0,
    scope: 'sample',
    min: 0,
    max: 1e3,
    help: 'DRY: penalty for a token that would continue a repetition, times dry_base for each repeated token beyond dry_allowed_length; 0 = off.',
  }),
  dryBase: float({ default: 1.75, scope: 'sample', min: 1, max: 1e3, help: 'DRY: growth of the penalty per token.' }),
  dryAllowedLength: int({
    default: 2,
    scope: 'sample',
    min: 1,
    max: int32,
    help: 'DRY: repetitions of fewer tokens are not penalized.',
  }),
  dryPenaltyLastN: int({
    default: 64,
    scope: 'sample',
    min: -1,
    max: int32,
    help: 'DRY: number of recent tokens in which repetitions are found, at most 16384; 0 = off, -1 = the entire context.',
  }),
  drySequenceBreakers: strings({
    default: ['\n', ':', '"', '*'],
    scope: 'sample',
    maxItems: 32,
    maxLength: 40,
    help: 'DRY: texts that no repetition extends over.',
  }),
  xtcProbability: float({
    default: 0,
    scope: 'sample',
    min: 0,
    max: 1,
    help: 'XTC: probability of removing all tokens above xtc_threshold but the least likely of them; 0 = off.',
  }),
  xtcThreshold: float({
    default: 0.1,
    scope: 'sample',
    min: 0,
    max: 1,
    help: 'XTC: minimum probability of removed tokens; above 0.5 = off.',
  }),
  topNSigma: float({
    default: -1,
    scope: 'sample',
    min: -1,
    max: 1e6,
    help: 'Sample from tokens whose logits are within this many standard deviations of the largest; 0 or negative = off.',
  }),
  dynatempRange: float({
    default: 0,
    scope: 'sample',
    min: 0,
    max: 1e3,
    help: 'Dynamic temperature: temperatures from temperature minus this to temperature plus this, by entropy; 0 = off.',
  }),
  dynatempExponent: float({
    default: 1,
    scope: 'sample',
    min: 0,
    max: 1e3,
    help: 'Dynamic temperature: how entropy becomes a temperature.',
  }),
  ignoreEos: bool({
    default: false,
    scope: 'sample',
    help: 'Never end the answer before num_predict or a stop sequence. For measurements. No effect with a format.',
  }),
  minTokens: int({
    default: 0,
    scope: 'sample',
    min: 0,
    max: int32,
    help: 'Number of tokens before which neither the model nor a stop sequence ends the answer. No effect with a format.',
  }),
  penalizeNewline: bool({ default: true, scope: 'sample', help: 'Apply the penalties to line breaks too.' }),
  speculate: bool({
    default: true,
    scope: 'sample',
    help: 'Draft tokens that repeat the prompt or the answer and verify several in one pass: faster where text is quoted.',
  }),
  draftNumPredict: int({
    default: -1,
    scope: 'sample',
    min: -1,
    max: 63,
    help: 'Tokens that a draft model or a prediction head drafts at once; 0 = none, -1 = as many as save time.',
  }),
  stop: strings({
    default: [],
    scope: 'sample',
    help: 'Stop sequences: the answer ends before the first one.',
  }),
  adapters: adapters({
    default: undefined,
    scope: 'sample',
    help: 'Adapters to apply, by position: 0, or 0=0.5 with a scale; an empty list = none. Default: all.',
  }),
} satisfies Record<string, OptionRow>;

export type OptionKey = keyof typeof optionTable;

/** The name in requests, Modelfiles and `show`: `num_ctx` for numCtx. */
export function optionName(key: OptionKey): string {
  return key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

const keyByName: ReadonlyMap<string, OptionKey> = new Map(
  (Object.keys(optionTable) as OptionKey[]).map((key) => [optionName(key), key]),
);

export function isOptionName(name: string): boolean {
  return keyByName.has(name);
}

type ValueOf<Key extends OptionKey> = (typeof optionTable)[Key] extends { readonly choices: readonly (infer Choice)[] }
  ? Choice
  : OptionKinds[(typeof optionTable)[Key]['kind']];
type KeysOfScope<Scope> = {
  [Key in OptionKey]: (typeof optionTable)[Key]['scope'] extends Scope ? Key : never;
}[OptionKey];

/** Parsed options: any subset, each value of the right type and in range. */
export type OptionValues = { readonly [Key in OptionKey]?: ValueOf<Key> };

type WithDefaults<Keys extends OptionKey> = {
  readonly [Key in Keys]: ValueOf<Key> | ((typeof optionTable)[Key]['default'] extends undefined ? undefined : never);
};
export type LoadOptions = WithDefaults<KeysOfScope<'load'>>;
export type SampleOptions = WithDefaults<KeysOfScope<'sample'>>;

export interface ParsedOptions {
  readonly values: OptionValues;
  /** Unknown names. They are ignored; the caller may log them. */
  readonly unknown: readonly string[];
}

// Far more than there are options. Unknown names are ignored, so that clients of newer versions work.
const maxOptions = 1000;

/**
 * `null` counts as absent. A wrong type throws `bad_option`, which is a server error as in Ollama. Options that Ollama
 * does not have throw `bad_request`.
 */
export function parseOptions(given: Readonly<Record<string, unknown>>): ParsedOptions {
  const values: Record<string, unknown> = {};
  const unknown: string[] = [];
  if (Object.keys(given).length > maxOptions)
    throw new HearthError('bad_request', `there are more than ${maxOptions} options`);
  for (const [name, value] of Object.entries(given)) {
    if (value === null || value === undefined) continue;
    const key = keyByName.get(name);
    if (key === undefined) unknown.push(name);
    else values[key] = parseOption(key, value);
  }
  return { values: values as OptionValues, unknown };
}

function parseOption(key: OptionKey, value: unknown): OptionKinds[OptionKind] {
  const row: OptionRow = optionTable[key];
  switch (row.kind) {
    case 'int':
      if (typeof value !== 'number' || !Number.isFinite(value)) throw wrongType(key, 'integer');
      return toRange(Math.trunc(value), row);
    case 'float':
      if (typeof value !== 'number' || !Number.isFinite(value)) throw wrongType(key, 'float32');
      return toRange(value, row);
    case 'bool':
      if (typeof value !== 'boolean') throw wrongType(key, 'boolean');
      return value;
    case 'strings':
      return parseStrings(key, value, row);
    case 'choice':
      return parseChoice(key, value, row.choices ?? []);
    case 'text':
      return parseText(key, value, row);
    case 'adapters':
      return parseAdapters(key, value);
    case 'shares':
      return parseSharesOption(key, value);
  }
}

function parseStrings(key: OptionKey, value: unknown, row: OptionRow): readonly string[] {
  const { maxItems = Number.POSITIVE_INFINITY, maxLength = Number.POSITIVE_INFINITY } = row;
  // Some clients send a single string.
  const items = typeof value === 'string' ? [value] : value;
  if (!Array.isArray(items)) throw wrongType(key, 'array');
  if (!items.every((item) => typeof item === 'string'))
    throw new HearthError('bad_option', `option "${optionName(key)}" must be of an array of strings`);
  if (items.length <= maxItems && items.every((item) => item.length <= maxLength)) return items;
  const limits = `${maxItems} texts of at most ${maxLength} characters`;
  throw new HearthError('bad_request', `option "${optionName(key)}" may have at most ${limits}`);
}

function parseChoice(key: OptionKey, value: unknown, choices: readonly string[]): string {
  if (typeof value === 'string' && choices.includes(value)) return value;
  throw new HearthError('bad_request', `option "${optionName(key)}" must be one of ${choices.join(', ')}`);
}

function parseText(key: OptionKey, value: unknown, { maxLength = 1024, form }: OptionRow): string {
  if (typeof value !== 'string') throw wrongType(key, 'string');
  if (form !== undefined && value.length <= maxLength && !form.isValid(value))
    throw new HearthError('bad_request', `option "${optionName(key)}" must have a form such as ${form.example}`);
  if (value.length <= maxLength) return value;
  throw new HearthError('bad_option', `option "${optionName(key)}" is longer than ${maxLength} characters`);
}

// Each one costs time for every token.
const maxAdapters = 64;

function parseAdapters(key: OptionKey, value: unknown): string[] {
  const items = Array.isArray(value) ? value : [value];
  if (items.length > maxAdapters)
    throw new HearthError('bad_request', `option "${optionName(key)}" has more than ${maxAdapters} entries`);
  return items.map((item) => {
    const scale = parseAdapterScale(item);
    if (scale !== undefined) return formatAdapterScale(scale);
    const forms = '0, "0=0.5" or {"id": 0, "scale": 0.5}';
    throw new HearthError('bad_request', `option "${optionName(key)}" must be a list of entries such as ${forms}`);
  });
}

function parseSharesOption(key: OptionKey, value: unknown): string {
  const parsed = parseShares(value);
  if (parsed !== undefined) return formatShares(parsed);
  throw new HearthError('bad_option', `option "${optionName(key)}" must be a list of shares such as [3, 1] or "3,1"`);
}

function wrongType(key: OptionKey, type: string): HearthError {
  return new HearthError('bad_option', `option "${optionName(key)}" must be of type ${type}`);
}

function toRange(value: number, { min = -Infinity, max = Infinity, modulus, default: preset }: OptionRow): number {
  if (modulus === undefined) return Math.min(Math.max(value, min), max);
  return value === preset ? value : ((value % modulus) + modulus) % modulus;
}

/** Later layers override earlier ones, and all override the defaults. */
export function resolveOptions(...layers: readonly OptionValues[]): { load: LoadOptions; sample: SampleOptions } {
  const load: Record<string, unknown> = { ...loadDefaults };
  const sample: Record<string, unknown> = { ...sampleDefaults };
  for (const [key, value] of Object.entries<unknown>(Object.assign({}, ...layers))) {
    if (value === undefined || value === null) continue;
    if (Object.hasOwn(load, key)) load[key] = value;
    else if (Object.hasOwn(sample, key)) sample[key] = value;
  }
  return { load: load as unknown as LoadOptions, sample: sample as unknown as SampleOptions };
}

// Every request needs them, and a copy takes less time than to collect them again.
const loadDefaults = defaultsOf('load');
const sampleDefaults = defaultsOf('sample');

function defaultsOf(scope: OptionRow['scope']): Readonly<Record<string, unknown>> {
  const rows = Object.entries<OptionRow>(optionTable).filter(([, row]) => row.scope === scope);
  return Object.fromEntries(rows.map(([key, row]) => [key, row.default]));
}
