// The error for a prompt that does not fit into the context. A dialect may have a text of its own for it.

import { HearthError } from '../../base/errors.ts';

export class PromptTooLongError extends HearthError {
  readonly tokens: number;
  readonly maximum: number;

  constructor(tokens: number, maximum: number) {
    super(
      'prompt_too_long',
      `the prompt is longer than the context: it has ${tokens} tokens, the maximum is ${maximum}`,
    );
    this.tokens = tokens;
    this.maximum = maximum;
  }
}
