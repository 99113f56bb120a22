// Keeps control tokens out of the content of an answer.

import { stripMarks } from '../../../formats/chat/control-marks.ts';

export async function* withoutMarks<Event extends { readonly type: string }>(
  events: AsyncIterable<Event>,
  marks: readonly string[],
): AsyncGenerator<Event> {
  for await (const event of events) {
    if (!isText(event)) yield event;
    else {
      const text = stripMarks(event.text, marks);
      if (text !== '') yield { ...event, text };
    }
  }
}

function isText<Event extends { readonly type: string }>(event: Event): event is Event & { readonly text: string } {
  return event.type === 'text';
}
