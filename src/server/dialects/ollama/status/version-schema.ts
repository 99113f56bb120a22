// GET /api/version on the wire.

export interface VersionResponse {
  /** The version of the API that Hearth speaks: clients compare it to decide what they may ask for. */
  readonly version: string;
  /** The version of Hearth itself. */
  readonly hearth: string;
}

/** Editors ask for at least this. */
export const apiVersion = '0.6.4';
