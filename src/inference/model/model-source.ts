// Where a model is found: in files on this machine, at another server, or in a checkpoint that another engine runs.

import type { DerivedFile } from '../../models/derived-file.ts';
import type { EngineParameters, ProgramName } from '../../models/engine-parameters.ts';

export type ModelSource = LocalModelSource | RemoteModelSource | HostedModelSource;

export interface LocalModelSource {
  readonly kind: 'local';
  /** The same for the same weights, adapters and projector, whatever the name of the model. */
  readonly key: string;
  readonly weightsPath: string;
  readonly adapterPaths: readonly string[];
  /** A Jinja template that replaces the one in the weights. */
  readonly chatTemplate?: string;
  /** Only of vision models. */
  readonly projectorPath?: string;
  /** The size of the projector. */
  readonly projectorBytes?: number;
  /** The size of all files together. */
  readonly fileBytes: number;
  /** Which of these files are made before a load. */
  readonly derived?: readonly DerivedFile[];
}

/** A small model that drafts tokens for another one. */
export interface DraftFile {
  readonly weightsPath: string;
  readonly fileBytes: number;
}

export interface RemoteModelSource {
  readonly kind: 'remote';
  readonly key: string;
  /** The name of the remote, whose endpoints are not part of the model. */
  readonly remote: string;
  /** The name of the model there. */
  readonly model: string;
  /** What the remote said about the model when it was created. */
  readonly capabilities: readonly string[];
  /** Absent: unknown. */
  readonly contextLength?: number;
}

/** A checkpoint that a program of another project runs, which this server starts. */
export interface HostedModelSource {
  readonly kind: 'hosted';
  readonly key: string;
  readonly engine: ProgramName;
  /** A file or a folder of this machine, or a name that the engine resolves. */
  readonly checkpoint: string;
  readonly parameters: EngineParameters;
  /** What the files of the checkpoint said when the model was created. */
  readonly capabilities: readonly string[];
  /** Absent: unknown. */
  readonly contextLength?: number | undefined;
}
