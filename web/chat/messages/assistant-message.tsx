// A message of a model: complete, or growing. It is the same component in both cases, so that the end of an answer
// renders nothing again but its last block.

import type { ReadonlySignal } from '@preact/signals';
import { type Answer, phaseOf, toMessage } from '../../conversation/answer.ts';
import type { ChatMessage } from '../../conversation/chat-document.ts';
import { Markdown } from '../../markdown/markdown.tsx';
import { memoized } from '../../ui/memoized.ts';
import type { ChatSession } from '../session/chat-session.ts';
import { AnswerActions } from './answer-actions.tsx';
import { MessageFrame } from './message-frame.tsx';
import { Thinking } from './thinking.tsx';
import { ToolCalls } from './tool-calls.tsx';
import { Waiting } from './waiting.tsx';

interface AnswerProps {
  readonly session: ChatSession;
  readonly message: ChatMessage;
  /** What has arrived; undefined if nothing is arriving. */
  readonly answer: ReadonlySignal<Answer> | undefined;
  readonly isLast: boolean;
}

interface AssistantMessageProps extends AnswerProps {
  readonly isRendered: boolean;
}

export const AssistantMessage = memoized(({ isRendered, ...props }: AssistantMessageProps) => {
  const { message, answer } = props;
  const { model = 'Assistant', content } = message;
  const isGrowing = answer !== undefined;
  return (
    <MessageFrame class="assistant" label={model} text={content} isRendered={isRendered} isGrowing={isGrowing}>
      <AnswerContent {...props} />
    </MessageFrame>
  );
});

function AnswerContent({ session, message, answer, isLast }: AnswerProps) {
  const phase = answer === undefined ? 'complete' : phaseOf(answer.value);
  const isGrowing = answer !== undefined;
  const shown = answer === undefined ? message : toMessage(message, answer.value);
  const { content, thinking = '', tool_calls: calls = [] } = shown;
  return (
    <>
      <Thinking text={thinking} isRunning={phase === 'thinking'} />
      {phase === 'waiting' ? <Waiting model={message.model ?? ''} request={message.request?.id} /> : null}
      <Markdown text={content} growing={isGrowing} />
      <ToolCalls calls={calls} />
      {isGrowing ? null : <Problem message={shown} />}
      {/* Its place is there from the beginning: nothing moves at the end of an answer. */}
      <div class="message-actions">
        {isGrowing ? null : <AnswerActions session={session} message={message} isLast={isLast} />}
      </div>
    </>
  );
}

/** A page that was closed too early leaves a message without anything. */
function Problem({ message }: { readonly message: ChatMessage }) {
  const { content, thinking = '', tool_calls: calls = [], error } = message;
  const isEmpty = content === '' && thinking === '' && calls.length === 0;
  if (error === undefined && !isEmpty) return null;
  return (
    <p class="problem" role="alert">
      {error ?? 'The answer is empty.'}
    </p>
  );
}
