// A common chat format: how to recognize it in a Jinja template, and its Go template.

export interface ChatFormat {
  readonly name: string;
  /** A Go template without the begin-of-text token, which the tokenizer adds. */
  readonly template: string;
  /** Stop sequences. */
  readonly stop: readonly string[];
}

export interface FormatRow extends ChatFormat {
  /** Texts that a Jinja template of this format must write. */
  readonly marks: readonly string[];
  /** Other texts that it may write. Absent: any text. */
  readonly words?: readonly string[];
  /** Code that it must and must not contain. */
  readonly has?: readonly string[];
  readonly lacks?: readonly string[];
  /** The end-of-text token in `template`, to be replaced by the model's own. */
  readonly eos?: string;
}
