// A widespread chat format: how it is recognised in a Jinja template, and our own Go template for it.

export interface ChatFormat {
  readonly name: string;
  /** A Go template. The token that begins a text is not in it: the tokeniser adds that one. */
  readonly template: string;
  /** Texts that end an answer. */
  readonly stop: readonly string[];
}

export interface FormatRow extends ChatFormat {
  /** Texts that a Jinja template of this format writes, all of them. */
  readonly marks: readonly string[];
  /** What else it may write. Where this is not given, it may write anything. */
  readonly words?: readonly string[];
  /** What stands in its code: `has` must, `lacks` must not. */
  readonly has?: readonly string[];
  readonly lacks?: readonly string[];
  /** The end-of-text token as it stands in `template`, where Jinja templates write the one of the model. */
  readonly eos?: string;
}
