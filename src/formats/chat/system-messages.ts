// Makes sure that system messages reach the prompt. Some templates reject them, others leave them out silently. Then they
// are put in front of the next question.

import { HearthError } from '../../base/errors.ts';
import type { Message } from './message.ts';
import type { PromptConversation } from './render-prompt.ts';

type Render = (conversation: PromptConversation) => Promise<string>;

export async function renderWithSystem(conversation: PromptConversation, render: Render): Promise<string> {
  const isSystem = ({ role, content }: Message): boolean => role === 'system' && content.trim() !== '';
  if (!conversation.messages.some(isSystem)) return render(conversation);
  const text = await renderUnlessRejected(conversation, render);
  if (typeof text === 'string' && conversation.messages.filter(isSystem).every((message) => shows(text, message)))
    return text;
  const missing = (message: Message): boolean =>
    isSystem(message) && (typeof text !== 'string' || !shows(text, message));
  const merged = mergeIntoQuestions(conversation.messages, missing);
  if (merged === undefined) return typeof text === 'string' ? text : Promise.reject(text);
  return render({ ...conversation, messages: merged });
}

async function renderUnlessRejected(conversation: PromptConversation, render: Render): Promise<string | HearthError> {
  try {
    return await render(conversation);
  } catch (error) {
    if (error instanceof HearthError && error.code === 'bad_template') return error;
    throw error;
  }
}

function shows(text: string, { content }: Message): boolean {
  return text.includes(content.trim());
}

/** Undefined if there is no question. */
function mergeIntoQuestions(
  messages: readonly Message[],
  isMerged: (message: Message) => boolean,
): readonly Message[] | undefined {
  const lastQuestion = messages.findLastIndex(({ role }) => role === 'user');
  if (lastQuestion === -1) return undefined;
  const result: Message[] = [];
  let waiting: string[] = [];
  // Messages after the last question have no next question.
  const late = messages.slice(lastQuestion).filter(isMerged);
  messages.forEach((message, index) => {
    if (isMerged(message)) {
      if (index < lastQuestion) waiting.push(message.content);
    } else if (message.role === 'user') {
      if (index === lastQuestion) waiting.push(...late.map(({ content }) => content));
      result.push(waiting.length === 0 ? message : { ...message, content: [...waiting, message.content].join('\n\n') });
      waiting = [];
    } else result.push(message);
  });
  return result;
}
