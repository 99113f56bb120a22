// How much a library may take of us. Milliseconds and bytes.

/** A connection that gives nothing for this long is given up. */
export const defaultStallTimeout = 30_000;
/** For answers that are read whole: manifests, tokens, errors. */
export const responseTimeout = 60_000;

/** Thousands of layers fit. */
export const maxManifest = 4 * 2 ** 20;
export const maxToken = 2 ** 20;
/** What is read of an answer that says what went wrong, and what is shown of it. */
export const maxErrorBody = 64 * 2 ** 10;
export const maxShownError = 500;

/** No weights are larger, and sums of as many as fit into a manifest are still exact. */
export const maxLayer = 2 ** 42;
export const maxLayers = 2048;
export const maxIndexEntries = 1024;

export const maxRedirects = 5;
/** Connections for one blob. */
export const maxConnectionsPerBlob = 8;
/** On a short line more of them would only be in each other's way. */
export const maxPrivateConnectionsPerBlob = 3;
/** Attempts in a row that bring nothing. */
export const maxAttempts = 6;
/** The first contact: somebody waits for it, and a wrong name should not take minutes. */
export const maxManifestAttempts = 3;

/** The library may read all of a blob once more before it answers. */
export const commitStallTimeout = 600_000;

/** Bytes of one request of an upload. */
export const uploadChunk = 64 * 2 ** 20;
