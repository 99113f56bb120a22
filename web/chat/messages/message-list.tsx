// The messages of the branch that is shown. It follows an answer as it grows, unless the user scrolls up.

import { useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { t } from '../../language/language.ts';
import { IconButton } from '../../ui/icon.tsx';
import type { ChatSession } from '../session/chat-session.ts';
import { AssistantMessage } from './assistant-message.tsx';
import { UserMessage } from './user-message.tsx';

/** Distance between the view and the end of the messages within which the view follows. */
const endMarginPixels = 48;

/** Messages at the end are rendered at once, those before when they come near the view. */
const renderedAtOnce = 12;

export function MessageList({ session }: { readonly session: ChatSession }) {
  const scroller = useRef<HTMLDivElement>(null);
  const column = useRef<HTMLDivElement>(null);
  const follows = useSignal(true);
  const running = session.running.value;
  const shown = session.path.value;

  const scrollToEnd = (): void => {
    if (scroller.current !== null) scroller.current.scrollTop = scroller.current.scrollHeight;
  };
  const noteScroll = (): void => {
    if (scroller.current === null) return;
    const { scrollHeight, scrollTop, clientHeight } = scroller.current;
    follows.value = scrollHeight - scrollTop - clientHeight < endMarginPixels;
  };
  // The end is shown at first, and when an answer begins.
  useLayoutEffect(() => {
    if (running === undefined && !follows.peek()) return;
    follows.value = true;
    scrollToEnd();
  }, [running?.id]);
  // Runs before the next paint, if the messages are longer or the view is smaller.
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
            const { id, role } = message;
            const common = { session, message, isRendered: index >= shown.length - renderedAtOnce };
            // The key is the place: the focus stays when the user switches to another branch.
            if (role === 'user') return <UserMessage key={index} {...common} />;
            const answer = id === running?.id ? running.answer : undefined;
            return <AssistantMessage key={index} {...common} answer={answer} isLast={index === shown.length - 1} />;
          })}
        </div>
      </div>
      {follows.value ? null : (
        <IconButton icon="down" label={t('Go to the end')} class="to-end" onClick={scrollToEnd} />
      )}
    </div>
  );
}
