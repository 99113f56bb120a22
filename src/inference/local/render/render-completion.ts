// From the prompt of a completion to the prompt of the model: with a gap to fill, or as the message of a user.

import { tagImages } from '../../../formats/chat/message.ts';
import type { PromptTemplate } from '../../../formats/chat/prompt-template.ts';
import type { ThinkOption } from '../../../models/think.ts';
import type { Completion } from '../../model/conversation.ts';
import type { OpenModel } from '../../model/model.ts';

interface CompletionParts {
  readonly model: Pick<OpenModel, 'system' | 'messages'>;
  readonly template: PromptTemplate;
  readonly images: readonly Buffer[];
  readonly think: ThinkOption | undefined;
}

export async function renderCompletion(
  completion: Completion,
  { model, template, images, think }: CompletionParts,
): Promise<string> {
  if (completion.suffix !== '') return template.renderInsertion(completion);
  const system = completion.system || model.system;
  const { messages } = tagImages(
    [
      ...(system === '' ? [] : [{ role: 'system', content: system }]),
      // A context already contains the model's messages.
      ...(completion.context.length > 0 ? [] : model.messages),
      { role: 'user', content: completion.prompt, images },
    ],
    template,
  );
  return template.renderConversation({ messages, tools: [], think });
}
