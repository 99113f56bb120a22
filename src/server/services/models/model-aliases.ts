// Names for lists of models. A request to an alias goes to the first model of the list that is neither down nor busy, or,
// with weights, begins with one that is drawn. A list has models of the store only, so that aliases cannot form loops.

import { badConfiguration } from '../../../base/errors.ts';
import { formatModelName, type ModelName, parseModelName, type RequestedModel } from '../../../models/name.ts';

/** A model of a list. Weights say how many of the requests begin with it, in relation to the others. */
interface AliasTarget {
  readonly model: string;
  readonly weight?: number;
}

interface Target extends Pick<AliasTarget, 'weight'> {
  readonly model: RequestedModel;
}

interface AliasOptions {
  /** Whether requests wait for the model with this name. */
  readonly isBusy?: (name: string) => boolean;
  /** The conversation of the current request: all of its requests begin with the same model. */
  readonly session?: () => string | undefined;
  /** From 0 to 1. */
  readonly random?: () => number;
}

export class ModelAliases {
  readonly #names: readonly (readonly [alias: string, keys: readonly string[]])[];
  readonly #targets: ReadonlyMap<string, readonly Target[]>;
  readonly #options: Required<AliasOptions>;

  /** Throws if a name is not one of a model. */
  constructor(table: ReadonlyMap<string, readonly AliasTarget[]>, options: AliasOptions = {}) {
    this.#targets = new Map(Array.from(table, ([alias, targets]) => [keyOf(parse(alias)), targets.map(toTarget)]));
    this.#names = Array.from(table, ([alias, targets]) => [alias, targets.map(({ model }) => keyOf(parse(model)))]);
    this.#options = { isBusy: () => false, session: () => undefined, random: Math.random, ...options };
  }

  /** The models to try, in this order. Undefined if the name is no alias. */
  modelsOf({ name }: Pick<RequestedModel, 'name'>): readonly RequestedModel[] | undefined {
    const targets = this.#targets.size === 0 ? undefined : this.#targets.get(keyOf(name));
    if (targets === undefined) return undefined;
    const ordered = this.#order(targets).map(({ model }) => model);
    const isBusy = (model: RequestedModel): boolean => this.#options.isBusy(formatModelName(model.name));
    return [...ordered.filter((model) => !isBusy(model)), ...ordered.filter(isBusy)];
  }

  /** The model itself, or the first one of the list. */
  firstOf(requested: RequestedModel): RequestedModel {
    return this.#targets.get(keyOf(requested.name))?.[0]?.model ?? requested;
  }

  /** The aliases of a model, for lists. */
  aliasesOf(name: string): readonly string[] {
    const key = keyOf(parseModelName(name));
    return this.#names.filter(([, keys]) => keys.includes(key)).map(([alias]) => alias);
  }

  #order(targets: readonly Target[]): readonly Target[] {
    const { session, random } = this.#options;
    const total = targets.reduce((sum, { weight = 0 }) => sum + weight, 0);
    if (total === 0) return targets;
    const hash = session();
    let drawn = (hash === undefined ? random() : shareOf(hash)) * total;
    const first = targets.find(({ weight = 0 }) => {
      drawn -= weight;
      return drawn < 0;
    });
    return first === undefined ? targets : [first, ...targets.filter((one) => one !== first)];
  }
}

function toTarget({ model, weight }: AliasTarget): Target {
  return { model: { name: parse(model), text: model }, weight };
}

/** Names are case-insensitive, and `fast` is `fast:latest`. */
function keyOf(name: ModelName): string {
  return formatModelName(name).toLowerCase();
}

function parse(name: string): ModelName {
  try {
    return parseModelName(name);
  } catch {
    throw badConfiguration(`"${name}" is not a name of a model (HEARTH_MODEL_ALIASES)`);
  }
}

/** A hash in hexadecimal as a number from 0 to 1. */
function shareOf(hash: string): number {
  return Number.parseInt(hash.slice(0, 8), 16) / 2 ** 32;
}
