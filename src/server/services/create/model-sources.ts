// Where the files of new models come from besides registries and uploads. Features provide these.

import type { ModelName } from '../../../models/name.ts';
import type { PackageReference } from '../../../models/package-reference.ts';
import type { PullArtifact } from '../management/artifact-pull.ts';
import type { ModelProgress } from '../management/model-progress.ts';

export interface CreateSources {
  readonly pullPackage: PullPackage;
  readonly pullArtifact: PullArtifact;
  readonly convertFiles: ConvertFiles;
}

export interface PackagePull {
  readonly reference: PackageReference;
  /** The name of the new model. */
  readonly name: ModelName;
}

export type PullPackage = (input: PackagePull, signal: AbortSignal) => AsyncGenerator<ModelProgress>;

/** What a converter is to do. */
export interface ConvertOrder {
  /** Names relative to the folder of the checkpoint, and where the files are. */
  readonly files: readonly { readonly name: string; readonly path: string }[];
  /** Overwritten. */
  readonly target: string;
  /** The name of the model in its metadata. */
  readonly name: string;
  /** Only its image encoder. Absent: its text model. */
  readonly part?: 'projector';
  /** For an adapter: the model that it is for. */
  readonly base?: { readonly architecture: string; readonly heads: number; readonly keyHeads: number };
}

export interface ConvertRequest extends ConvertOrder {
  readonly onProgress: (done: number, total: number) => void;
  readonly signal: AbortSignal;
}

export interface ConvertResult {
  /** The number of tokens at which texts are to be cut, for embedding models that state it. */
  readonly maxTokens?: number;
  /** Whether the checkpoint also has an image encoder that can be converted. */
  readonly hasVision?: boolean;
}

/** Converts the files of a checkpoint or an adapter to a GGUF file. */
export type ConvertFiles = (request: ConvertRequest) => Promise<ConvertResult>;
