// System messages in the middle of a conversation. A template that would move them to the start, drop them or fail gets
// them as user messages, so that they stay in place and the prompt before them does not change.

import type { Message } from './message.ts';
import type { PromptTemplate } from './prompt-template.ts';

type Renderer = Pick<PromptTemplate, 'renderConversation'>;

export async function placeSystemMessages(
  messages: readonly Message[],
  template: Renderer,
): Promise<readonly Message[]> {
  const first = messages.findIndex(({ role }) => role !== 'system');
  const isLate = ({ role }: Message, index: number): boolean => role === 'system' && first !== -1 && index > first;
  if (!messages.some(isLate) || (await writesInPlace(template))) return messages;
  return messages.map((message, index) => (isLate(message, index) ? { ...message, role: 'user' } : message));
}

const marks = ['first question', 'first answer', 'late instruction', 'second question'] as const;
const probe: readonly Message[] = marks.map((content, index) => ({
  role: ['user', 'assistant', 'system', 'user'][index] as string,
  content,
}));

/** Reading the template could not decide this: templates are programs. */
async function writesInPlace(template: Renderer): Promise<boolean> {
  try {
    const prompt = await template.renderConversation({ messages: probe, tools: [] });
    const places = marks.map((mark) => prompt.indexOf(mark));
    const isInOrder = places.every((place, index) => place > (places[index - 1] ?? -1));
    return isInOrder && prompt.lastIndexOf(marks[2]) === places[2];
  } catch {
    return false;
  }
}
