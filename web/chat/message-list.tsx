// The messages of the branch that is shown. It follows an answer as it grows, unless the user scrolls up.

import { useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { ChatMessage } from '../conversation/chat-document.ts';
import { IconButton } from '../shell/icon-button.tsx';
import { AssistantMessage } from './assistant-message.tsx';
import type { ChatSession, RunningAnswer } from './chat-session.ts';
import { UserMessage } from './user-message.tsx';

// Pixels between the view and the end of the messages within which it follows.
const endMargin = 48;

/** Messages at the end are rendered at once, those before when they come near the view. */
const renderedAtOnce = 12;

export function MessageList({ session }: { readonly session: ChatSession }) {
  const scroller = useRef<HTMLDivElement>(null);
  const column = useRef<HTMLDivElement>(null);
  const follows = useSignal(true);
  const running = session.running.value;
  const shown = withRunning(session.path.value, running);

  const scrollToEnd = (): void => {
    if (scroller.current !== null) scroller.current.scrollTop = scroller.current.scrollHeight;
  };
  const noteScroll = (): void => {
    if (scroller.current === null) return;
    const { scrollHeight, scrollTop, clientHeight } = scroller.current;
    follows.value = scrollHeight - scrollTop - clientHeight < endMargin;
  };
  // The end is shown at first, and when an answer begins.
  useLayoutEffect(() => {
    if (running === undefined && !follows.peek()) return;
    follows.value = true;
    scrollToEnd();
  }, [running?.message.id]);
  // Before the next paint, whatever made the messages longer or the view smaller.
  useEffect(() => {
    const observer = new ResizeObserver(() => {
      if (follows.peek()) scrollToEnd();
    });
    for (const { current } of [scroller, column]) if (current !== null) observer.observe(current);
    return () => observer.disconnect();
  }, []);

  return (
    <div class="messages-frame">
      <div class="messages" ref={scroller} onScroll={noteScroll}>
        <div class="column" ref={column}>
          {shown.map((message, index) => {
            if (message.role === 'user') return <UserMessage key={message.id} session={session} message={message} />;
            return (
              <AssistantMessage
                key={message.id}
                session={session}
                message={message}
                answer={message.id === running?.message.id ? running.answer : undefined}
                isRendered={index >= shown.length - renderedAtOnce}
                isLast={index === shown.length - 1}
              />
            );
          })}
        </div>
      </div>
      {follows.value ? null : <IconButton icon="down" label="Go to the end" class="to-end" onClick={scrollToEnd} />}
    </div>
  );
}

/** The answer that is arriving is part of the branch if it answers its last message, or continues it. */
function withRunning(path: readonly ChatMessage[], running: RunningAnswer | undefined): readonly ChatMessage[] {
  return running !== undefined && running.message.parent === path.at(-1)?.id ? [...path, running.message] : path;
}
