// A message of a model: complete, or growing. It is the same component in both cases, so that the end of an answer
// renders nothing again but its last block.

import type { ReadonlySignal } from '@preact/signals';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { type Answer, answerPhase, toMessage } from '../../conversation/answer.ts';
import type { TreeMessage } from '../../conversation/chat-document.ts';
import { describeMissed, describeStats } from '../../conversation/statistics.ts';
import type { Label } from '../../language/catalogue.ts';
import { t } from '../../language/language.ts';
import { ReadAloudButton } from '../../speech/read-aloud-button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { shownName } from '../../ui/format.ts';
import { IconButton } from '../../ui/icon.tsx';
import { Problem } from '../../ui/problem.tsx';
import type { ChatSession } from '../session/chat-session.ts';
import { AnswerBody } from './answer-body.tsx';
import { EditForm } from './edit-form.tsx';
import { BranchSwitch, MessageFrame } from './message-frame.tsx';
import { MessageMenu } from './message-menu.tsx';
import { Sources } from './sources.tsx';
import { LostLine, WaitingLine } from './waiting.tsx';

interface AnswerProps {
  readonly session: ChatSession;
  readonly message: TreeMessage;
  /** What has arrived; undefined if nothing is arriving. */
  readonly answer: ReadonlySignal<Answer> | undefined;
  readonly isLast: boolean;
}

export function AssistantMessage({ isRendered, ...props }: AnswerProps & { readonly isRendered: boolean }) {
  const { session, message, answer, isLast } = props;
  const label = message.model ?? t('Assistant');
  // The same element as before is not rendered again.
  return useMemo(
    () => (
      <MessageFrame
        class="assistant"
        label={label}
        text={message.content}
        isRendered={isRendered}
        isGrowing={answer !== undefined}
      >
        <AnswerContent {...props} />
      </MessageFrame>
    ),
    [session, message, answer, isLast, isRendered, label],
  );
}

function AnswerContent({ session, message, answer, isLast }: AnswerProps) {
  const isGrowing = answer !== undefined;
  const phase = isGrowing ? answerPhase(answer.value) : 'complete';
  const shown = isGrowing ? toMessage(message, answer.value) : message;
  const { content, thinking = '', passages = [] } = shown;
  const missed = describeMissed(message.stats ?? {});
  const [isEdited, setEdited] = useState(false);
  // Another branch has another message in this place.
  useEffect(() => setEdited(false), [message.id]);
  if (isEdited)
    return (
      <EditForm
        text={content}
        action={t('Save')}
        onCancel={() => setEdited(false)}
        onSubmit={(text) => {
          setEdited(false);
          session.editAnswer(message, text);
        }}
      />
    );
  return (
    <>
      {thinking === '' ? null : (
        // Folded: most users want the answer.
        <details class="thinking">
          <summary>{phase === 'thinking' ? <span class="pulsing">{t('Thinking…')}</span> : t('Thoughts')}</summary>
          <div class="plain" dir="auto">
            {thinking}
          </div>
        </details>
      )}
      <AnswerBody session={session} message={shown} isGrowing={isGrowing} isLast={isLast} />
      {isGrowing ? null : <Sources text={content} passages={passages} />}
      {missed === '' ? null : <p class="ending">{missed}</p>}
      {isGrowing ? (
        <Progress session={session} message={message} answer={answer} />
      ) : (
        <Ending session={session} message={message} isLast={isLast} />
      )}
      {/* The place is there from the beginning: nothing moves at the end of an answer. */}
      <div class="message-actions">
        {isGrowing ? null : (
          <AnswerActions session={session} message={message} isLast={isLast} onEdit={() => setEdited(true)} />
        )}
      </div>
    </>
  );
}

/** What the page waits for, if nothing arrives. */
function Progress({ session, message, answer }: Required<Omit<AnswerProps, 'isLast'>>) {
  if (answer === undefined) return null;
  if (session.running.value?.isLost.value) return <LostLine onReconnect={() => session.reconnect()} />;
  if (answerPhase(answer.value) !== 'waiting') return null;
  return <WaitingLine model={message.model ?? ''} request={message.request?.id} answer={answer} />;
}

/** What the page says about answers that it ended itself. */
const endNotes: Readonly<Record<string, Label>> = {
  repeated: 'This answer was stopped because it kept repeating itself.',
  page_limit: 'This answer was stopped because it reached the length limit in Settings.',
};

/** Why an answer has no text, or not all of it. */
function Ending({ session, message, isLast }: Omit<AnswerProps, 'answer'>) {
  const { content, thinking = '', tool_calls: calls = [], mcp_calls: ownCalls = [], error, stats } = message;
  // A page that was closed too early leaves a message without anything.
  const isEmpty = content === '' && thinking === '' && calls.length + ownCalls.length === 0;
  if (error === undefined && isEmpty && stats?.done_reason === 'stopped')
    return <p class="ending">{t('You stopped this answer before it began.')}</p>;
  const note = endNotes[stats?.done_reason ?? ''];
  if (error === undefined && note !== undefined) return <p class="ending">{t(note)}</p>;
  const problem = error ?? (isEmpty ? t('The answer is empty.') : '');
  if (problem === '') return null;
  return (
    <>
      <Problem text={problem} />
      {isLast ? (
        <button
          type="button"
          class="button"
          disabled={session.running.value !== undefined}
          onClick={() => session.retry(message)}
        >
          {t('Try again')}
        </button>
      ) : null}
    </>
  );
}

/** What can be done with an answer, and its statistics. */
function AnswerActions({
  session,
  message,
  isLast,
  onEdit,
}: Omit<AnswerProps, 'answer'> & { readonly onEdit: () => void }) {
  const { content, error, stats, model, edited = false } = message;
  const { showsStatistics } = session.settings.value;
  const isBusy = session.running.value !== undefined;
  // The model did not end the answer itself.
  const canContinue = content !== '' && (error !== undefined || stats?.done_reason !== 'stop');
  return (
    <>
      <BranchSwitch session={session} message={message} />
      <CopyButton text={content} label={t('Copy answer')} />
      <ReadAloudButton id={message.id} text={content} />
      <IconButton
        icon="refresh"
        label={t('Generate again')}
        disabled={isBusy}
        onClick={() => session.regenerate(message)}
      />
      {isLast && !isBusy && canContinue ? (
        <IconButton icon="play" label={t('Continue the answer')} onClick={() => session.continueAnswer(message)} />
      ) : null}
      <MessageMenu session={session} message={message} onEdit={onEdit} />
      {edited ? <span class="stats">{t('Edited by you')}</span> : null}
      {edited || stats === undefined || !showsStatistics ? null : (
        <span class="stats">
          {model === undefined ? null : <span title={t('The model that answered')}>{shownName(model)}</span>}
          {describeStats(stats).map(({ text, explanation }) => (
            <span key={text} title={explanation}>
              {text}
            </span>
          ))}
        </span>
      )}
    </>
  );
}
