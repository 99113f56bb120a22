// The languages of the page. Their texts are loaded when a language is chosen.

import type { DialogTexts, FirstTexts, ViewTexts } from './catalogue.ts';

interface Language {
  /** As people who speak it write it. */
  readonly name: string;
  /** The texts of the first view, and then those of the others. English needs none: its texts are in the code. */
  readonly load: readonly [] | readonly [() => Promise<FirstTexts>, () => Promise<DialogTexts>, () => Promise<ViewTexts>];
}

export type LanguageTag = 'en';

export const languages: Readonly<Record<LanguageTag, Language>> = {
  en: { name: 'English', load: [] },
};
