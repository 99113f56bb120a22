// The messages of the branch that is shown. It follows an answer as it grows, unless the user scrolls up.

import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { IconButton } from '../shell/icon-button.tsx';
import { AssistantMessage, GrowingMessage } from './assistant-message.tsx';
import type { ChatSession } from './chat-session.ts';
import { UserMessage } from './user-message.tsx';

// Pixels between the view and the end of the messages within which it follows.
const endMargin = 48;

/** Messages at the end are rendered at once, those before when they come near the view. */
const renderedAtOnce = 12;

export function MessageList({ session }: { readonly session: ChatSession }) {
  const scroller = useRef<HTMLDivElement>(null);
  const follows = useSignal(true);
  const running = session.running.value;
  const path = session.path.value.filter(({ id }) => id !== running?.message.id);
  const isRunningShown = running !== undefined && running.message.parent === (path.at(-1)?.id ?? null);

  const scrollToEnd = (): void => {
    const element = scroller.current;
    if (element !== null) element.scrollTop = element.scrollHeight;
  };
  // Another conversation or a new message: its end is shown.
  useLayoutEffect(() => {
    follows.value = true;
    scrollToEnd();
  }, [session, session.path.value.length]);
  const onScroll = (): void => {
    const element = scroller.current;
    if (element !== null) follows.value = element.scrollHeight - element.scrollTop - element.clientHeight < endMargin;
  };

  return (
    <div class="messages-frame">
      <div class="messages" ref={scroller} onScroll={onScroll}>
        <div class="column">
          {path.map((message, index) => {
            if (message.role === 'user') return <UserMessage key={message.id} session={session} message={message} />;
            return (
              <AssistantMessage
                key={message.id}
                session={session}
                message={message}
                isRendered={index >= path.length - renderedAtOnce}
                isLast={index === path.length - 1}
              />
            );
          })}
          {isRunningShown ? (
            <GrowingMessage
              key={running.message.id}
              running={running}
              onGrown={() => {
                if (follows.peek()) scrollToEnd();
              }}
            />
          ) : null}
        </div>
      </div>
      {follows.value ? null : <IconButton icon="down" label="Go to the end" class="to-end" onClick={scrollToEnd} />}
    </div>
  );
}
