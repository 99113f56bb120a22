// The prompts of a Go template. It is parsed and rendered by tasks: its text can come from a caller.

import type { PromptTemplate } from '../../../formats/chat/prompt-template.ts';
import type { PromptConversation } from '../../../formats/chat/render-prompt.ts';
import { renderWithSystem } from '../../../formats/chat/system-messages.ts';
import type { Compute } from '../../compute/compute.ts';

export async function readGoTemplate(compute: Compute, source: string): Promise<PromptTemplate> {
  const traits = await compute('readTemplate', source);
  const render = (conversation: PromptConversation): Promise<string> =>
    compute('renderConversation', { ...conversation, messages: conversation.messages.map(withoutBytes), source });
  return {
    ...traits,
    renderConversation: (conversation) =>
      traits.writesMessages ? renderWithSystem(conversation, render) : render(conversation),
    renderInsertion: ({ prompt, suffix }) => compute('renderInsertion', { prompt, suffix, source }),
  };
}

const noBytes = Buffer.alloc(0);

/** A template only counts images. Their bytes are not copied to another thread. */
function withoutBytes(message: PromptConversation['messages'][number]): PromptConversation['messages'][number] {
  return message.images === undefined ? message : { ...message, images: message.images.map(() => noBytes) };
}
