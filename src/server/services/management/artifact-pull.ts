// The pull of a model that another tool packed, for the service that finds one in a registry.

import type { Digest } from '../../../base/digest.ts';
import type { ModelName } from '../../../models/name.ts';
import type { Artifact } from '../../../models/registry-client/manifests/read-artifact.ts';
import type { Repository } from '../../../models/registry-client/session/registry-address.ts';
import type { ModelProgress } from './model-progress.ts';

export interface ArtifactPull {
  /** The name of the new model. */
  readonly name: ModelName;
  readonly repository: Repository;
  readonly artifact: Artifact;
  /** The digest of the manifest. */
  readonly digest: Digest;
}

export type PullArtifact = (input: ArtifactPull, signal: AbortSignal) => AsyncGenerator<ModelProgress>;
