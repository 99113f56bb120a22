// What strangers can make a library spend, each with its reason.

export const registryServerLimits = {
  /** The reference registry's own; a manifest of a thousand layers has a quarter of it. */
  manifestBytes: 4 * 2 ** 20,
  /** Models that are kept tensor by tensor have hundreds. */
  layers: 4096,
  /** Each has a file and two megabytes of memory. */
  openUploads: 64,
  /** How long an upload may rest before it is given up; clients come back in seconds. */
  uploadIdleMs: 30 * 60_000,
  /** However busily: a hundred gigabytes over a slow line. */
  uploadAgeMs: 48 * 60 * 60_000,
  /** How long a blob waits for its manifest: the first of a model's, for as long as the last may take. */
  orphanMs: 50 * 60 * 60_000,
  /** How long a connection may be silent. */
  silenceMs: 120_000,
  connections: 1000,
  /** How far the clocks of a client and a library may differ. */
  clockSkewSeconds: 300,
  /** Words that were used in that time, by holders of registered keys. */
  nonces: 100_000,
  tokenSeconds: 300,
  scopes: 16,
  keyFileBytes: 2 ** 20,
  /** Names in one page of a list. */
  pageSize: 1000,
} as const;
