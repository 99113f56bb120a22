// How a model writes tool calls, according to its template.

/** The texts that the parser of calls needs. */
export interface CallTexts {
  /** The text before a call, such as `<tool_call>`; `{`, `[` or empty if calls have no tag. */
  readonly tag: string;
  readonly nameKey: string;
  readonly argumentsKey: string;
  /** The text after a call, such as `</tool_call>`, if the template has one. */
  readonly endTag?: string;
}

export interface CallSyntax extends CallTexts {
  readonly layout: CallLayout;
}

/**
 * The calls of an answer:
 *
 *   calls = open call { between call } close        call = before form after
 *
 * Blanks in these texts are optional in an answer, except before a word.
 */
export interface CallLayout {
  /** Texts of other sections that an answer may have before its calls, in this order. */
  readonly lead?: readonly string[];
  readonly open: string;
  readonly close: string;
  readonly before: string;
  readonly after: string;
  /** Undefined: an answer has only one call. */
  readonly between: string | undefined;
  readonly form: CallForm;
  /** The texts that begin a call. Empty: no text is distinctive enough. */
  readonly triggers: readonly CallTrigger[];
  /** An answer that starts with the name of a tool and this text is a call. */
  readonly triggerAfterName?: string;
}

/** A family of models that write calls in the same way. */
export interface CallFamily {
  readonly name: string;
  /** Texts that the template must and must not contain. */
  readonly marks: readonly string[];
  readonly lacks?: readonly string[];
  readonly layout: CallLayout;
}

export interface CallTrigger {
  readonly text: string;
  /** Only at the start of an answer, because the text is too common elsewhere. */
  readonly atStart: boolean;
}

export type CallForm =
  /** `{"name": "f", "arguments": {…}}`. `idKey` is the key of an optional id, in front or at the end. */
  | {
      readonly kind: 'object';
      readonly nameKey: string;
      readonly argumentsKey: string;
      readonly idKey?: { readonly name: string; readonly first: boolean };
    }
  /** `{"f": {…}}` */
  | { readonly kind: 'keyed' }
  /**
   * `f{…}`, with other texts after the name and after the arguments. Numbered: the name is followed by `:0`. `afterId`: an
   * id of ten letters and digits and this text are before the name. Exact: blanks after the name are not optional.
   */
  | {
      readonly kind: 'named';
      readonly afterName: string;
      readonly afterArguments: string;
      readonly isNumbered?: boolean;
      readonly afterId?: string;
      readonly isExact?: true;
    }
  /** `f(x=1)` */
  | { readonly kind: 'python' }
  /** `f{x:1,y:<escape>text<escape>}`, where `quote` encloses texts. */
  | { readonly kind: 'bare-keys'; readonly quote: string }
  | ElementsForm
  /** `<x>1</x><list><item>a</item></list>`: an element for each value at any depth. `mark` is before each tag. */
  | { readonly kind: 'tree'; readonly mark: string }
  /** The channels of gpt-oss. */
  | { readonly kind: 'harmony' };

/** An element for each argument: `<function=f><parameter=x>1</parameter></function>`. Texts are not quoted. */
export interface ElementsForm {
  readonly kind: 'elements';
  readonly afterName: string;
  readonly beforeKey: string;
  readonly afterKey: string;
  /** Between the key and this text, the element says whether its value is a text (`true` or `false`), or its JSON type. */
  readonly afterIsText?: string;
  readonly isTyped?: true;
  /** The name is followed by a number between `afterName` and this text. */
  readonly afterNumber?: string;
  /** A text with `<` in it is between these texts. */
  readonly quotes?: { readonly open: string; readonly close: string };
  readonly afterValue: string;
  readonly end: string;
}
