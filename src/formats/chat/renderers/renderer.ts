// Renderers: how prompts are written for models whose config names a renderer instead of having a template.
//
// The contents of messages already have their image tags, `[img-N]` as the engine expects them (image-tags.ts), so a
// renderer writes contents as they are. `images` remains for renderers that decide by it; they write nothing for it.

import type { ThinkOption } from '../../../models/think.ts';
import type { Message, Tool } from '../message.ts';

export interface RendererInput {
  readonly messages: readonly Message[];
  readonly tools: readonly Tool[];
  /** Undefined: the request does not say, or the model cannot think. */
  readonly think: ThinkOption | undefined;
}

export interface Renderer {
  /** The text of the token that begins every prompt; empty if there is none. The engine adds that token itself. */
  readonly leadingBos: string;
  /** Throws a HearthError with the code `bad_template` if the model cannot be given these messages. */
  render(input: RendererInput): string;
}
