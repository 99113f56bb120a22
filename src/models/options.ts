// The one table of options: request `options`, PARAMETER lines, `show` and the reference page all derive
// from it. `load` options shape the loaded model (changing one loads it again), `sample` options shape
// one answer.

import { HearthError } from '../base/errors.ts';

interface OptionKinds {
  int: number;
  float: number;
  bool: boolean;
  strings: readonly string[];
}

type OptionKind = keyof OptionKinds;

interface OptionRow<Kind extends OptionKind = OptionKind> {
  readonly kind: Kind;
  /** undefined: decided when the model is loaded. */
  readonly default: OptionKinds[Kind] | undefined;
  readonly scope: 'load' | 'sample';
  /** Values outside are moved to the nearest bound: what lies beyond has no meaning, or would stop the engine. */
  readonly min?: number;
  readonly max?: number;
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

export const optionTable = {
  numCtx: int({
    default: undefined,
    scope: 'load',
    min: 4,
    max: int32,
    help: "Context length in tokens. Without it the model's trained context, at most 4096; never more than the trained one.",
  }),
  numBatch: int({
    default: 512,
    scope: 'load',
    min: 1,
    max: 8192,
    help: 'The most prompt tokens that are evaluated in one go.',
  }),
  numGpu: int({
    default: -1,
    scope: 'load',
    min: -1,
    max: int32,
    help: 'Layers to put on the GPU; -1 is as many as there are. Without a GPU it has no effect.',
  }),
  mainGpu: int({ default: 0, scope: 'load', min: 0, max: 15, help: 'The GPU to use when there are several.' }),
  lowVram: bool({ default: false, scope: 'load', help: 'Keep the context in main memory and off the GPU.' }),
  vocabOnly: bool({
    default: false,
    scope: 'load',
    help: 'Load the vocabulary without the weights; such a model cannot generate.',
  }),
  useMmap: bool({
    default: undefined,
    scope: 'load',
    help: 'Map the model file into memory (true) or read it (false).',
  }),
  useMlock: bool({ default: false, scope: 'load', help: 'Forbid the system to swap the model out.' }),
  numa: bool({ default: false, scope: 'load', help: 'Spread threads over the NUMA nodes of the machine.' }),
  numThread: int({
    default: 0,
    scope: 'load',
    min: 0,
    max: 512,
    help: 'Threads to compute with, at most one per processor; 0 is one for each physical core.',
  }),
  numKeep: int({
    default: 4,
    scope: 'sample',
    min: -1,
    max: int32,
    help: 'Tokens at the start of the prompt that stay when the context runs full; -1 is the whole prompt.',
  }),
  seed: int({
    default: -1,
    scope: 'sample',
    min: -int32,
    max: 2 ** 32 - 1,
    help: 'Seed of the random choice; -1 draws a new one each time.',
  }),
  numPredict: int({
    default: -1,
    scope: 'sample',
    min: -2,
    max: int32,
    help: 'The most tokens to generate; negative is ten times the context length, which is also the upper limit.',
  }),
  topK: int({
    default: 40,
    scope: 'sample',
    min: 0,
    max: int32,
    help: 'Choose among the k likeliest tokens; 0 is all.',
  }),
  topP: float({
    default: 0.9,
    scope: 'sample',
    help: 'Choose among the likeliest tokens that make up this probability.',
  }),
  minP: float({
    default: 0,
    scope: 'sample',
    help: "Leave out tokens less likely than this share of the likeliest one's probability.",
  }),
  tfsZ: float({
    default: 1,
    scope: 'sample',
    help: 'Tail-free sampling: cut the flat tail of the distribution; 1 is off.',
  }),
  typicalP: float({ default: 1, scope: 'sample', help: 'Locally typical sampling; 1 is off.' }),
  repeatLastN: int({
    default: 64,
    scope: 'sample',
    min: -1,
    max: int32,
    help: 'How many tokens back the penalties look; 0 is off, -1 is the whole context.',
  }),
  temperature: float({
    default: 0.8,
    scope: 'sample',
    help: 'Higher is more surprising; 0 always takes the likeliest token.',
  }),
  repeatPenalty: float({
    default: 1.1,
    scope: 'sample',
    min: 1e-6,
    help: 'Makes tokens that occurred lately less likely; 1 is off.',
  }),
  presencePenalty: float({ default: 0, scope: 'sample', help: 'Subtracted once from tokens that occurred lately.' }),
  frequencyPenalty: float({ default: 0, scope: 'sample', help: 'Subtracted for each time a token occurred lately.' }),
  mirostat: int({
    default: 0,
    scope: 'sample',
    min: 0,
    max: 2,
    help: 'Mirostat sampling: 0 is off, else its version, 1 or 2.',
  }),
  mirostatTau: float({ default: 5, scope: 'sample', help: 'The surprise that Mirostat aims at.' }),
  mirostatEta: float({ default: 0.1, scope: 'sample', help: 'How fast Mirostat corrects itself.' }),
  penalizeNewline: bool({ default: true, scope: 'sample', help: 'Whether the penalties apply to line breaks too.' }),
  stop: strings({ default: [], scope: 'sample', help: 'The answer ends before any of these texts.' }),
} satisfies Record<string, OptionRow>;

export type OptionKey = keyof typeof optionTable;

/** How requests, Modelfiles and `show` spell an option: numCtx is `num_ctx`. */
export function optionName(key: OptionKey): string {
  return key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

const keyByName: ReadonlyMap<string, OptionKey> = new Map(
  (Object.keys(optionTable) as OptionKey[]).map((key) => [optionName(key), key]),
);

type ValueOf<Key extends OptionKey> = OptionKinds[(typeof optionTable)[Key]['kind']];
type KeysOfScope<Scope> = {
  [Key in OptionKey]: (typeof optionTable)[Key]['scope'] extends Scope ? Key : never;
}[OptionKey];

/** Options as somebody gave them: any subset, every value of the right type and in range. */
export type OptionValues = { readonly [Key in OptionKey]?: ValueOf<Key> };

type WithDefaults<Keys extends OptionKey> = {
  readonly [Key in Keys]: ValueOf<Key> | ((typeof optionTable)[Key]['default'] extends undefined ? undefined : never);
};
export type LoadOptions = WithDefaults<KeysOfScope<'load'>>;
export type SampleOptions = WithDefaults<KeysOfScope<'sample'>>;

export interface ParsedOptions {
  readonly values: OptionValues;
  /** Names that no option has; they are ignored, and worth a line in the log. */
  readonly unknown: readonly string[];
}

/** Reads an `options` object. `null` counts as absent; a wrong type throws `bad_option`. */
export function parseOptions(given: Readonly<Record<string, unknown>>): ParsedOptions {
  const values: Record<string, unknown> = {};
  const unknown: string[] = [];
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
      return clamp(Math.trunc(value), row);
    case 'float':
      if (typeof value !== 'number' || !Number.isFinite(value)) throw wrongType(key, 'float32');
      return clamp(value, row);
    case 'bool':
      if (typeof value !== 'boolean') throw wrongType(key, 'boolean');
      return value;
    case 'strings':
      // One text alone is what some clients send.
      if (typeof value === 'string') return [value];
      if (!Array.isArray(value)) throw wrongType(key, 'array');
      if (!value.every((item) => typeof item === 'string')) {
        throw new HearthError('bad_option', `option "${optionName(key)}" must be of an array of strings`);
      }
      return value;
  }
}

function wrongType(key: OptionKey, type: string): HearthError {
  return new HearthError('bad_option', `option "${optionName(key)}" must be of type ${type}`);
}

function clamp(value: number, { min = -Infinity, max = Infinity }: OptionRow): number {
  return Math.min(Math.max(value, min), max);
}

/** Later values win over earlier ones, all win over the defaults. */
export function resolveOptions(...layers: readonly OptionValues[]): { load: LoadOptions; sample: SampleOptions } {
  const merged: Record<string, unknown> = Object.assign({}, ...layers);
  const pick = (scope: OptionRow['scope']): Record<string, unknown> =>
    Object.fromEntries(
      Object.entries(optionTable)
        .filter(([, row]) => row.scope === scope)
        .map(([key, row]) => [key, merged[key] ?? row.default]),
    );
  return { load: pick('load') as unknown as LoadOptions, sample: pick('sample') as unknown as SampleOptions };
}
