// What can be done with an answer, and its statistics.

import type { ChatMessage } from '../../conversation/chat-document.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import type { ChatSession } from '../session/chat-session.ts';
import { BranchSwitch } from './branch-switch.tsx';
import { StatsLine } from './stats-line.tsx';

interface AnswerActionsProps {
  readonly session: ChatSession;
  readonly message: ChatMessage;
  readonly isLast: boolean;
}

export function AnswerActions({ session, message, isLast }: AnswerActionsProps) {
  const { content, stats, model } = message;
  const isBusy = session.running.value !== undefined;
  return (
    <>
      <BranchSwitch session={session} message={message} />
      <CopyButton text={content} label="Copy answer" />
      <IconButton icon="refresh" label="Generate again" disabled={isBusy} onClick={() => session.regenerate(message)} />
      {isLast && !isBusy && canContinue(message) ? (
        <IconButton icon="play" label="Continue the answer" onClick={() => session.continueAnswer(message)} />
      ) : null}
      {stats === undefined ? null : <StatsLine stats={stats} model={model} />}
    </>
  );
}

/** The model did not end the answer itself. */
function canContinue({ content, error, stats }: ChatMessage): boolean {
  return content !== '' && (error !== undefined || stats?.done_reason !== 'stop');
}
