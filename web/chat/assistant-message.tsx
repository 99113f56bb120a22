// A message of a model: complete, or growing. It is the same component in both cases, so that the end of an answer
// renders nothing again but its last block.

import type { ReadonlySignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { type Answer, phaseOf, toMessage } from '../conversation/answer.ts';
import type { ChatMessage } from '../conversation/chat-document.ts';
import { Markdown } from '../markdown/markdown.tsx';
import { memoized } from '../shell/memoized.ts';
import { AnswerActions } from './answer-actions.tsx';
import type { ChatSession } from './chat-session.ts';
import { Thinking } from './thinking.tsx';
import { ToolCalls } from './tool-calls.tsx';
import { useNearView } from './use-near-view.ts';

interface AssistantMessageProps {
  readonly session: ChatSession;
  readonly message: ChatMessage;
  /** What has arrived; undefined if the message is complete. */
  readonly answer: ReadonlySignal<Answer> | undefined;
  /** Whether it is rendered even if it is far from the view. */
  readonly isRendered: boolean;
  readonly isLast: boolean;
}

export const AssistantMessage = memoized(({ session, message, answer, isRendered, isLast }: AssistantMessageProps) => {
  const element = useRef<HTMLElement>(null);
  const isNear = useNearView(element, isRendered);
  const phase = answer === undefined ? 'complete' : phaseOf(answer.value);
  const isGrowing = phase !== 'complete';
  const shown = answer === undefined ? message : toMessage(message, answer.value);
  const { content, thinking = '', tool_calls: calls = [], error, model = 'Assistant' } = shown;
  return (
    <article
      ref={element}
      class={isGrowing ? 'message assistant growing' : 'message assistant'}
      aria-label={model}
      aria-busy={isGrowing}
    >
      <Thinking text={thinking} isRunning={phase === 'thinking'} />
      {phase === 'waiting' ? <p class="waiting">Waiting for the first token</p> : null}
      {/* Far from the view, the plain text stands in: it can be found, and costs little. */}
      {isNear ? <Markdown text={content} growing={isGrowing} /> : <div class="plain">{content}</div>}
      <ToolCalls calls={calls} />
      {error === undefined || isGrowing ? null : (
        <p class="problem" role="alert">
          {error}
        </p>
      )}
      {/* Its place is there from the beginning: nothing moves at the end of an answer. */}
      <div class="message-actions">
        {isGrowing ? null : <AnswerActions session={session} message={message} isLast={isLast} />}
      </div>
    </article>
  );
});
