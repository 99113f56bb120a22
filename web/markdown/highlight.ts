// Highlights code with highlight.js. Its tree becomes elements; its HTML is not used.

import { type LanguageName, loadLanguage } from './highlight-languages.ts';

export interface HighlightNode {
  /** Such as `keyword` or `title.function`; absent for the root. */
  readonly scope?: string;
  readonly children: readonly (HighlightNode | string)[];
}

// Characters. Longer code takes too long on the thread of the page.
export const maxHighlighted = 50_000;

export async function highlight(code: string, language: LanguageName): Promise<HighlightNode> {
  const [{ default: highlighter }, definition] = await Promise.all([
    import('highlight.js/lib/core'),
    loadLanguage(language),
  ]);
  if (highlighter.getLanguage(language) === undefined) highlighter.registerLanguage(language, definition);
  const { _emitter: emitter } = highlighter.highlight(code, { language, ignoreIllegals: true });
  return (emitter as unknown as { readonly rootNode: HighlightNode }).rootNode;
}
