// Asks a model for the title of a conversation.

import { requestJson } from '../../api/request.ts';
import type { ChatDocument } from '../../conversation/chat-document.ts';
import { cleanTitle, titlePrompt } from '../../conversation/chat-title.ts';

const maxTitleTokens = 24;

export async function requestTitle(document: ChatDocument): Promise<string> {
  const body = {
    model: document.model,
    messages: [{ role: 'user', content: titlePrompt(document) }],
    // The model has been loaded with the options of the conversation, and must not be loaded again.
    options: { ...document.options, num_predict: maxTitleTokens },
    think: document.think === undefined ? undefined : false,
    stream: false,
  };
  const { message } = await requestJson<{ readonly message?: { readonly content?: string } }>('/api/chat', {
    method: 'POST',
    body,
  });
  return cleanTitle(message?.content ?? '');
}
