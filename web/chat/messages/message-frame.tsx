// The element of a message. Far from the view it has the plain text alone, which can be found and costs little: a
// conversation may have thousands of messages.

import type { ComponentChildren, RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { TreeMessage } from '../../conversation/chat-document.ts';
import { t } from '../../language/language.ts';
import { IconButton } from '../../ui/icon.tsx';
import type { ChatSession } from '../session/chat-session.ts';

interface MessageFrameProps {
  readonly class: string;
  readonly label: string;
  readonly text: string;
  /** Whether it is rendered wherever it is. */
  readonly isRendered: boolean;
  readonly isGrowing?: boolean;
  readonly children: ComponentChildren;
}

export function MessageFrame({ class: kind, label, text, isRendered, isGrowing = false, children }: MessageFrameProps) {
  const element = useRef<HTMLElement>(null);
  const isNear = useNearView(element, isRendered);
  return (
    <article
      ref={element}
      class={isGrowing ? `message ${kind} growing` : `message ${kind}`}
      aria-label={label}
      aria-busy={isGrowing}
    >
      {isNear ? (
        children
      ) : (
        <div class="text plain" dir="auto">
          {text}
        </div>
      )}
    </article>
  );
}

/** How far from each edge of the view a message is near. */
const margin = '1200px';

const observers = new WeakMap<Element, IntersectionObserver>();
const listeners = new WeakMap<Element, () => void>();

/** One observer for each scroller: a conversation can have thousands of messages. */
function observerOf(scroller: Element): IntersectionObserver {
  const existing = observers.get(scroller);
  if (existing !== undefined) return existing;
  const notify = (entries: readonly IntersectionObserverEntry[]): void => {
    for (const { target, isIntersecting } of entries) if (isIntersecting) listeners.get(target)?.();
  };
  const observer = new IntersectionObserver(notify, { root: scroller, rootMargin: `${margin} 0px` });
  observers.set(scroller, observer);
  return observer;
}

/** Whether an element has been near the view of its scroller. Then it stays rendered. */
function useNearView(reference: RefObject<Element | null>, isAlways: boolean): boolean {
  const [isNear, setNear] = useState(isAlways);
  useEffect(() => {
    const element = reference.current;
    const scroller = element?.closest('.messages');
    if (isNear || element === null || scroller === null || scroller === undefined) return;
    const observer = observerOf(scroller);
    listeners.set(element, () => setNear(true));
    observer.observe(element);
    return () => {
      listeners.delete(element);
      observer.unobserve(element);
    };
  }, [isNear]);
  return isNear || isAlways;
}

/** Which of several alternatives of a message is shown: "2 / 3" with arrows. */
export function BranchSwitch({ session, message }: { readonly session: ChatSession; readonly message: TreeMessage }) {
  const all = session.alternatives.value.get(message.parent) ?? [];
  if (all.length < 2) return null;
  const index = all.findIndex(({ id }) => id === message.id);
  const choose = (step: number) => () => {
    const other = all[index + step];
    if (other !== undefined) session.choose(other);
  };
  return (
    <span class="branches">
      <IconButton icon="left" label={t('Previous version')} disabled={index === 0} onClick={choose(-1)} />
      <span>
        {index + 1} / {all.length}
      </span>
      <IconButton icon="right" label={t('Next version')} disabled={index === all.length - 1} onClick={choose(1)} />
    </span>
  );
}
