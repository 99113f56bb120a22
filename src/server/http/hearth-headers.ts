// The response headers that only Hearth has. Web pages may read all of them.

export const hearthHeaders = {
  /** How much of a prompt that was too long was left out. Absent if the prompt fitted. */
  droppedTokens: 'x-hearth-dropped-tokens',
  droppedMessages: 'x-hearth-dropped-messages',
  /** Keywords of the schema in `format` that the answer may not satisfy, by path. Absent if there are none. */
  unenforcedKeywords: 'x-hearth-unenforced-keywords',
  /** Fields and options of the request without effect: nobody knows them, or this model does not. Absent if there are none. */
  ignored: 'x-hearth-ignored',
  /** The model that answers, if the request names an alias. */
  model: 'x-hearth-model',
} as const;

/** A header has ASCII only. */
export function toHeaderText(texts: readonly string[]): string {
  const toEscape = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return texts.map((text) => text.replace(/[^\x20-\x7e]/g, toEscape)).join(', ');
}
