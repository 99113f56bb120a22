// The languages of the page. Their texts are loaded when a language is chosen.

import type { DialogTexts, FirstTexts, ViewTexts } from './catalogue.ts';

interface Language {
  /** As people who speak it write it. */
  readonly name: string;
  /** The texts of the first view, and then those of the others. English needs none: its texts are in the code. */
  readonly load:
    | readonly []
    | readonly [() => Promise<FirstTexts>, () => Promise<DialogTexts>, () => Promise<ViewTexts>];
}

export type LanguageTag = 'en' | 'de' | 'fr' | 'es' | 'pt-BR' | 'zh-CN' | 'ja';

export const languages: Readonly<Record<LanguageTag, Language>> = {
  en: { name: 'English', load: [] },
  de: {
    name: 'Deutsch',
    load: [
      async () => (await import('./german/german-first.ts')).germanFirst,
      async () => (await import('./german/german-dialog.ts')).germanDialog,
      async () => (await import('./german/german-view.ts')).germanView,
    ],
  },
  fr: {
    name: 'Français',
    load: [
      async () => (await import('./french/french-first.ts')).frenchFirst,
      async () => (await import('./french/french-dialog.ts')).frenchDialog,
      async () => (await import('./french/french-view.ts')).frenchView,
    ],
  },
  es: {
    name: 'Español',
    load: [
      async () => (await import('./spanish/spanish-first.ts')).spanishFirst,
      async () => (await import('./spanish/spanish-dialog.ts')).spanishDialog,
      async () => (await import('./spanish/spanish-view.ts')).spanishView,
    ],
  },
  'pt-BR': {
    name: 'Português (Brasil)',
    load: [
      async () => (await import('./portuguese/portuguese-first.ts')).portugueseFirst,
      async () => (await import('./portuguese/portuguese-dialog.ts')).portugueseDialog,
      async () => (await import('./portuguese/portuguese-view.ts')).portugueseView,
    ],
  },
  'zh-CN': {
    name: '简体中文',
    load: [
      async () => (await import('./chinese/chinese-first.ts')).chineseFirst,
      async () => (await import('./chinese/chinese-dialog.ts')).chineseDialog,
      async () => (await import('./chinese/chinese-view.ts')).chineseView,
    ],
  },
  ja: {
    name: '日本語',
    load: [
      async () => (await import('./japanese/japanese-first.ts')).japaneseFirst,
      async () => (await import('./japanese/japanese-dialog.ts')).japaneseDialog,
      async () => (await import('./japanese/japanese-view.ts')).japaneseView,
    ],
  },
};
