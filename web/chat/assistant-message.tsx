// A message of a model: complete, or growing.

import { useLayoutEffect, useRef } from 'preact/hooks';
import { phaseOf } from '../conversation/answer.ts';
import type { ChatMessage } from '../conversation/chat-document.ts';
import { Markdown } from '../markdown/markdown.tsx';
import { CopyButton } from '../shell/copy-button.tsx';
import { IconButton } from '../shell/icon-button.tsx';
import { memoized } from '../shell/memoized.ts';
import { BranchSwitch } from './branch-switch.tsx';
import type { ChatSession, RunningAnswer } from './chat-session.ts';
import { StatsLine } from './stats-line.tsx';
import { Thinking } from './thinking.tsx';
import { ToolCalls } from './tool-calls.tsx';
import { useNearView } from './use-near-view.ts';

interface AssistantMessageProps {
  readonly session: ChatSession;
  readonly message: ChatMessage;
  /** Whether it is rendered even if it is far from the view. */
  readonly isRendered: boolean;
  readonly isLast: boolean;
}

export const AssistantMessage = memoized(({ session, message, isRendered, isLast }: AssistantMessageProps) => {
  const element = useRef<HTMLElement>(null);
  const isNear = useNearView(element, isRendered);
  const { content, thinking = '', tool_calls: calls = [], error, stats, model } = message;
  return (
    <article class="message assistant" ref={element} aria-label={model ?? 'Assistant'}>
      <Thinking text={thinking} isRunning={false} />
      {/* Far from the view, the plain text stands in: it can be found, and costs little. */}
      {isNear ? <Markdown text={content} growing={false} /> : <div class="plain">{content}</div>}
      <ToolCalls calls={calls} />
      {error === undefined ? null : (
        <p class="problem" role="alert">
          {error}
        </p>
      )}
      <div class="message-actions">
        <BranchSwitch session={session} message={message} />
        <CopyButton text={content} label="Copy answer" />
        <IconButton icon="refresh" label="Generate again" onClick={() => session.regenerate(message)} />
        {isLast && canContinue(message) ? (
          <IconButton icon="play" label="Continue the answer" onClick={() => session.continueAnswer(message)} />
        ) : null}
        {stats === undefined ? null : <StatsLine stats={stats} model={model} />}
      </div>
    </article>
  );
});

/** The model did not end the answer itself. */
function canContinue({ content, error, stats }: ChatMessage): boolean {
  return content !== '' && (error !== undefined || stats?.done_reason !== 'stop');
}

interface GrowingMessageProps {
  readonly running: RunningAnswer;
  /** Called after each change. */
  readonly onGrown: () => void;
}

export function GrowingMessage({ running: { message, answer }, onGrown }: GrowingMessageProps) {
  const current = answer.value;
  useLayoutEffect(onGrown, [current]);
  const phase = phaseOf(current);
  return (
    <article class="message assistant growing" aria-label={message.model ?? 'Assistant'} aria-busy="true">
      <Thinking text={current.thinking} isRunning={phase === 'thinking'} />
      {phase === 'waiting' ? <output class="waiting">Waiting for the first token</output> : null}
      <Markdown text={current.content} growing={true} />
      <ToolCalls calls={current.toolCalls} />
    </article>
  );
}
