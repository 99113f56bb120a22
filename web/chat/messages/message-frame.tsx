// The element of a message. Far from the view it has the plain text alone, which can be found and costs little: a
// conversation may have thousands of messages.

import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { useNearView } from './use-near-view.ts';

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
      {isNear ? children : <div class="text plain">{text}</div>}
    </article>
  );
}
