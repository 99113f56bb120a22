// Limits of the choice among endpoints. Times are in milliseconds.

/**
 * The length in characters, about 128 tokens of English. Engines share evaluated prompts in blocks of 16 to 256 tokens.
 */
export const blockLength = 512;

/** Text beyond this number of blocks does not influence the choice: 131,072 characters identify a conversation. */
export const maxBlocks = 256;

/** Blocks whose endpoints are remembered for one remote: about 8 million tokens, and at most some 15 MB of memory. */
export const maxKnownBlocks = 65_536;

/** Endpoints that are remembered per block, the latest first. */
export const maxHolders = 8;

/** An endpoint takes no new request while it has more than this multiple of the mean load. */
export const loadFactor = 1.25;

/** An endpoint with fewer requests is never passed over if it is known what endpoints have. */
export const quietLoad = 4;

/** Requests that an endpoint on this machine gets before others do: the slots that a model has by default. */
export const maxLocalLoad = 8;

/** Consecutive failures that open a circuit. */
export const maxFailures = 3;

/** The pause of an open circuit doubles with each one that follows. */
export const firstPause = 1_000;
export const maxPause = 60_000;

/** A circuit that stayed closed for so long starts again with the first pause. */
export const calmTime = 60_000;

/** How long an endpoint that answered "busy" is avoided. */
export const busyTime = 2_000;

/** Between two checks of one endpoint. */
export const checkInterval = 5_000;

/** For one check. */
export const checkTimeout = 3_000;

/** Checks until metrics that were refused are asked for again: five minutes. */
export const metricsPause = 60;

/** The limit for the answer to a health check; metrics can be long. */
export const maxMetricsBytes = 2 ** 20;

/** Without requests for so long, endpoints are not checked. */
export const idleTime = 60_000;

/** A reported load that is older does not count. */
export const maxReportAge = 3 * checkInterval;

/** An endpoint with a larger part of its KV cache in use is full: it would push running requests out. */
export const fullCache = 0.95;

/** An endpoint with a larger queue, as a part of the requests that run there, is full. */
export const longQueue = 0.25;
