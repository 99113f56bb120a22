// A pull from a package, for the services that start one.

import type { ModelName } from '../../../models/name.ts';
import type { PackageReference } from '../../../models/package-reference.ts';
import type { ModelProgress } from '../management/model-progress.ts';

export interface PackagePull {
  readonly reference: PackageReference;
  /** The name of the new model. */
  readonly name: ModelName;
}

export type PullPackage = (input: PackagePull, signal: AbortSignal) => AsyncGenerator<ModelProgress>;
