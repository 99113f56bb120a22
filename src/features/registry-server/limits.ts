// Limits on what clients can consume, each with its reason.

export const registryServerLimits = {
  /** The limit of the CNCF reference registry; a manifest of a thousand layers has a quarter of this size. */
  manifestBytes: 4 * 2 ** 20,
  /** Models stored one tensor per layer have hundreds. */
  layers: 4096,
  /** Each uses a file and two megabytes of memory. */
  openUploads: 64,
  /** An upload that is idle for longer is canceled; clients resume within seconds. */
  uploadIdleMs: 30 * 60_000,
  /** Total time of an upload: enough for a hundred gigabytes over a slow connection. */
  uploadAgeMs: 48 * 60 * 60_000,
  /** How long a blob waits for its manifest: longer than the last blob of the model may take to upload. */
  orphanMs: 50 * 60 * 60_000,
  /** How long a connection may be idle. */
  idleConnectionMs: 120_000,
  connections: 1000,
  /** A client uses up to a few dozen; a reverse proxy has the connections of all its clients. */
  connectionsPerAddress: 250,
  /** Maximum difference between the clocks of client and registry. */
  clockSkewSeconds: 300,
  /** Nonces used within that time by holders of registered keys. */
  nonces: 100_000,
  tokenSeconds: 300,
  scopes: 16,
  keyFileBytes: 2 ** 20,
  /** Names per page of a listing. */
  pageSize: 1000,
} as const;
