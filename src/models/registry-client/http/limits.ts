// Limits on what a registry can consume. Milliseconds and bytes.

/** A connection without any data for this long is aborted. */
export const defaultStallTimeout = 30_000;
/** For complete responses: manifests, tokens, errors. */
export const responseTimeout = 60_000;

/** Large enough for thousands of layers. */
export const maxManifest = 4 * 2 ** 20;
export const maxToken = 2 ** 20;
/** How much of an error response is read, and how much of it is shown. */
export const maxErrorBody = 64 * 2 ** 10;
export const maxShownError = 500;

/** Larger than any weights; the sum over a manifest is still an exact number. */
export const maxLayer = 2 ** 42;
export const maxLayers = 2048;
export const maxIndexEntries = 1024;

export const maxRedirects = 5;
/** Concurrent connections for one blob. */
export const maxConnectionsPerBlob = 8;
/** In a private network, more connections do not help. */
export const maxPrivateConnectionsPerBlob = 3;
/** Consecutive attempts without progress. */
export const maxAttempts = 6;
/** The user waits for the manifest: a wrong name should not take minutes. */
export const maxManifestAttempts = 3;

/** The registry may read the entire blob again before it responds. */
export const commitStallTimeout = 600_000;

/** Bytes per upload request. */
export const uploadChunk = 64 * 2 ** 20;
