// The language of the page. English texts are in the code: they are the keys of the other languages, which are loaded when they
// are chosen. Components that call these functions are rendered again when the language changes.

import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import type { CountedText, Dictionary, Forms, OneForm, Text } from './catalogue.ts';
import { type LanguageTag, languages } from './languages.ts';

interface Current {
  readonly tag: LanguageTag;
  /** With the region of the user, if the browser names one for this language. */
  readonly locale: string;
  readonly dictionary: Partial<Dictionary>;
}

const current = signal<Current>({ tag: 'en', locale: withRegion('en'), dictionary: {} });
let wanted: LanguageTag = 'en';

/** What the page is shown in. The choice of the user comes first, then the languages of the browser. */
export function matchLanguage(choice: string, preferred: readonly string[]): LanguageTag {
  const tags = Object.keys(languages) as LanguageTag[];
  const find = (wish: string) => tags.find((tag) => languageOf(tag) === languageOf(wish));
  return [choice, ...preferred].map(find).find((tag) => tag !== undefined) ?? 'en';
}

/** Resolves when the first view can be shown. If the texts cannot be loaded, the language stays. */
export async function chooseLanguage(tag: LanguageTag): Promise<void> {
  wanted = tag;
  const parts = languages[tag].load.map((load) => load());
  // The page is shown with the first part. The others belong to views that are loaded later, too.
  const show = async (count: number): Promise<void> => {
    const loaded = await Promise.all(parts.slice(0, count));
    // The user may have chosen another one in the meantime.
    if (wanted !== tag) return;
    current.value = { tag, locale: withRegion(tag), dictionary: Object.assign({}, ...loaded) as Partial<Dictionary> };
  };
  await show(1).catch(() => {});
  void show(parts.length).catch(() => {});
}

export function currentLanguage(): LanguageTag {
  return current.value.tag;
}

/** For dates and numbers. */
export function locale(): string {
  return current.value.locale;
}

type PlaceholderOf<Pattern extends string> = Pattern extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PlaceholderOf<Rest>
  : never;

type Values<Pattern extends string, Value> = Readonly<Record<PlaceholderOf<Pattern>, Value>>;

/** Values in the order of `Pattern`; none if it has no placeholders. */
type Arguments<Pattern extends string, Value> = [PlaceholderOf<Pattern>] extends [never]
  ? []
  : [values: Values<Pattern, Value>];

/** A text in the language of the page. */
export function t<Pattern extends Text>(text: Pattern, ...[values]: Arguments<Pattern, string | number>): string {
  return fill(current.value.dictionary[text] ?? text, values ?? {});
}

/** A text with a number, which decides the form: `one` is that of English for 1. `{count}` is the number. */
export function plural<Other extends CountedText>(
  count: number,
  one: OneForm<Other>,
  other: Other,
  ...[values]: Arguments<WithoutCount<Other>, string | number>
): string {
  const { dictionary, locale: tag } = current.value;
  const forms: Forms = dictionary[other] ?? { one, other };
  const form = forms[new Intl.PluralRules(tag).select(count)] ?? forms.other;
  return fill(form, { ...values, count });
}

type WithoutCount<Pattern extends string> = Pattern extends `${infer Start}{count}${infer End}`
  ? `${Start}${End}`
  : Pattern;

/** A text with elements in the places of its values. */
export function elements<Pattern extends Text>(
  text: Pattern,
  values: Values<Pattern, ComponentChildren>,
): ComponentChildren[] {
  const parts = (current.value.dictionary[text] ?? text).split(/\{(\w+)\}/);
  return parts.map((part, index) =>
    index % 2 === 0 ? part : (values as Readonly<Record<string, ComponentChildren>>)[part],
  );
}

function fill(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name] ?? '';
    return typeof value === 'number' ? value.toLocaleString(current.value.locale) : value;
  });
}

function withRegion(tag: LanguageTag): string {
  return globalThis.navigator?.languages?.find((other) => languageOf(other) === languageOf(tag)) ?? tag;
}

function languageOf(tag: string): string {
  return tag.split('-', 1)[0]?.toLowerCase() ?? '';
}
