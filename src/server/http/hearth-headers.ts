// The response headers that only Hearth has. Web pages may read all of them.

export const hearthHeaders = {
  /** How much of a prompt that was too long was left out. Absent if the prompt fitted. */
  droppedTokens: 'x-hearth-dropped-tokens',
  droppedMessages: 'x-hearth-dropped-messages',
  /** Keywords of the schema in `format` that the answer may not satisfy, by path. Absent if there are none. */
  unenforcedKeywords: 'x-hearth-unenforced-keywords',
  /** Options of the request that the remote model does not have. Absent if there are none. */
  ignoredOptions: 'x-hearth-ignored-options',
} as const;
