// Limits for the events of endpoints. Times are in milliseconds.

/** vLLM sends one message for a step; 1 MiB has some 200,000 tokens. */
export const maxEventMessageBytes = 2 ** 20;

/** Topic, sequence number, payload; and one more for replies. */
export const maxMessageParts = 8;

/** What an endpoint may send in a second. More waits in its own buffers. */
export const maxBytesPerSecond = 8 * 2 ** 20;

/** Messages that wait while older ones are replayed. */
export const maxHeldBytes = 16 * 2 ** 20;

/** Blocks of one endpoint that are remembered: about a million tokens with blocks of 16, and at most some 10 MB of memory. */
export const maxEndpointBlocks = 65_536;

export const blockTokens = { min: 8, max: 4096 } as const;

/** Chains that requests of this server are about to store. */
export const maxExpected = 16_384;

/** How long a block that was sent counts as stored before the endpoint says so. */
export const expectedTime = 10_000;

export const connectTimeout = 5_000;

/** For the messages that an endpoint repeats. */
export const replayTimeout = 10_000;

/** Between two connections, doubled after each one that failed. */
export const reconnectPause = { first: 500, most: 30_000 } as const;

/** Fewer tokens in common are not worth a detour: the length of a text block. */
export const matchedStep = 128;

/** For the tokens of a prompt, which the choice of the endpoint waits for. */
export const tokenizeTimeout = 500;

/** After a failure, the choice goes by text for so long. */
export const tokenizePause = 5_000;
