// The limits of what MCP servers send.

export const mcpLimits = {
  configBytes: 2 ** 20,
  servers: 64,
  /** One message, or one HTTP response. */
  messageBytes: 4 * 2 ** 20,
  messageValues: 100_000,
  responseValues: 200_000,
  /** What a server may send in `windowMs`, in all messages. */
  windowBytes: 16 * 2 ** 20,
  windowMessages: 1000,
  windowMs: 10_000,
  pages: 16,
  tools: 128,
  nameLength: 128,
  descriptionLength: 4096,
  schemaLength: 16_384,
  resultLength: 65_536,
  errorLength: 300,
  /** Calls that run at the same time at one server. */
  parallelCalls: 16,
  connectMs: 60_000,
  listMs: 20_000,
  /** How long a list of tools is used before the server is asked again. */
  listAgeMs: 60_000,
  /** Connections within `startWindowMs`; then nothing is started until it has passed. */
  starts: 5,
  startWindowMs: 5 * 60_000,
} as const;

/** Never ends in the middle of a character. */
export function boundText(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const cut = text.slice(0, maxLength);
  return /[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut;
}
