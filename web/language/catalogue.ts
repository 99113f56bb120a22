// Every text of the page in English. These are types only, so that the page carries each text once, where it is used. The type
// check fails if a language lacks a text or has another one.

import type { DialogCounted, DialogText } from './dialog-texts.ts';
import type { FirstCounted, FirstText } from './first-texts.ts';
import type { ViewCounted, ViewText } from './view-texts.ts';

export type Text = FirstText | DialogText | ViewText;

/** A text without values. */
export type Label = Exclude<Text, `${string}{${string}`>;

type Counted = FirstCounted & DialogCounted & ViewCounted;

/** A text with a number: the form for other numbers than one. */
export type CountedText = keyof Counted;

/** The form for one. */
export type OneForm<Other extends CountedText> = Counted[Other];

/** The forms that `Intl.PluralRules` tells apart in a language. */
export type Forms = Readonly<Partial<Record<Intl.LDMLPluralRule, string>> & { other: string }>;

type Texts<Plain extends string, Numbered> = Readonly<Record<Plain, string> & Record<keyof Numbered, Forms>>;

export type FirstTexts = Texts<FirstText, FirstCounted>;
export type DialogTexts = Texts<DialogText, DialogCounted>;
export type ViewTexts = Texts<ViewText, ViewCounted>;
export type Dictionary = FirstTexts & DialogTexts & ViewTexts;
