// Where a pull gets its model: from a package, or from a registry.

import { HearthError } from '../../../base/errors.ts';
import { type ModelName, parseModelName, parseRequestedModel } from '../../../models/name.ts';
import { localNameOf, type PackageReference, parsePackageReference } from '../../../models/package-reference.ts';
import type { ModelProgress } from './model-progress.ts';
import type { PullModel } from './pull-model.ts';

export interface PullInput {
  /** The name of a model, or of a package. */
  readonly model: string;
  /** Allows plain HTTP and unverified certificates. */
  readonly insecure: boolean;
  /** The new name of a model from a package. */
  readonly as?: string | undefined;
}

interface PreparedPull {
  /** The name of the new model. */
  readonly name: ModelName;
  start(signal: AbortSignal): AsyncGenerator<ModelProgress>;
}

/** Throws if the pull cannot be meant. */
export type PreparePull = (input: PullInput) => PreparedPull;

interface PullSources {
  readonly pullModel: PullModel;
  readonly pullPackage: (
    input: { readonly reference: PackageReference; readonly name: ModelName },
    signal: AbortSignal,
  ) => AsyncGenerator<ModelProgress>;
}

export function createPreparePull({ pullModel, pullPackage }: PullSources): PreparePull {
  return ({ model: text, insecure, as }) => {
    const reference = parsePackageReference(text);
    if (reference !== undefined) {
      const name = as === undefined ? localNameOf(reference) : parseModelName(as);
      return { name, start: (signal) => pullPackage({ reference, name }, signal) };
    }
    const model = parseRequestedModel(text);
    if (as !== undefined) throw new HearthError('bad_request', '"as" is only supported for packages');
    return { name: model.name, start: (signal) => pullModel({ model, insecure }, signal) };
  };
}
