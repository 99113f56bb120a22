// Renderers: how prompts are written for models whose config names a renderer instead of having a template.
//
// The contents of messages already have their image tags, `[img-N]` as the engine expects them (message.ts), so a
// renderer writes contents as they are. A prompt may begin with the text of the first token: the engine adds that token
// itself, and never twice. `images` remains for renderers that decide by it; they write nothing for it.

import type { ThinkOption } from '../../../models/think.ts';
import type { Message, Tool } from '../message.ts';

export interface RendererInput {
  readonly messages: readonly Message[];
  readonly tools: readonly Tool[];
  /** Undefined: the request does not say, or the model cannot think. */
  readonly think: ThinkOption | undefined;
}

export interface Renderer {
  /** The levels of thinking that it tells apart, from the lowest. Absent: thinking is only on or off. */
  readonly thinkLevels?: readonly string[] | undefined;
  /** Throws a HearthError with the code `bad_template` if the model cannot be given these messages. */
  render(input: RendererInput): string;
}
