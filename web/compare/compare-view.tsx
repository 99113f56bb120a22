// Two models answer the same messages next to each other. Both chats are temporary, until one of them is kept.

import { useEffect, useRef, useState } from 'preact/hooks';
import { type ModelList, useModels } from '../api/models.ts';
import { errorText } from '../api/request.ts';
import { ModelPicker } from '../chat/header/model-picker.tsx';
import { MessageList } from '../chat/messages/message-list.tsx';
import type { ChatSession } from '../chat/session/chat-session.ts';
import type { Workspace } from '../chat/session/workspace.ts';
import { t } from '../language/language.ts';
import { IconButton } from '../ui/icon.tsx';
import { Problem } from '../ui/problem.tsx';
import { navigate } from '../ui/router.ts';

export function CompareView({ workspace }: { readonly workspace: Workspace }) {
  const models = useModels();
  const [sessions] = useState(() => beginPair(workspace, models));
  useEffect(() => () => void Promise.all(sessions.map((session) => workspace.end(session))), []);
  return (
    <section class="compare" aria-label={t('Compare two models')}>
      <div class="chat-header">
        <h1>{t('Compare two models')}</h1>
      </div>
      <div class="compare-sides">
        {sessions.map((session, index) => (
          <Side key={index} session={session} label={index === 0 ? t('First model') : t('Second model')} />
        ))}
      </div>
      <div class="column">
        <SharedComposer sessions={sessions} />
      </div>
      <output class="visually-hidden">{announce(sessions)}</output>
    </section>
  );
}

/** The second chat gets another model, if there is one. */
function beginPair(workspace: Workspace, models: ModelList): readonly ChatSession[] {
  const [first, second] = [workspace.begin({ isTemporary: true }), workspace.begin({ isTemporary: true })];
  const { model } = first.document.peek();
  const other = models.forChat.peek().find(({ name }) => name !== model && name !== `${model}:latest`);
  if (other !== undefined) second.configure({ model: other.name });
  return [first, second];
}

const isRunning = ({ running }: ChatSession): boolean => running.value !== undefined;

/** For screen readers. */
function announce(sessions: readonly ChatSession[]): string {
  if (sessions.some(isRunning)) return t('Answering');
  return sessions.some(({ path }) => path.value.length > 0) ? t('Both answers are complete.') : '';
}

function Side({ session, label }: { readonly session: ChatSession; readonly label: string }) {
  const [problem, setProblem] = useState('');
  const last = session.path.value.at(-1);
  const keep = async (): Promise<void> => {
    if (last !== undefined) navigate({ view: 'chat', id: await session.copyUpTo(last) });
  };
  return (
    <section class="compare-side" aria-label={label}>
      <header>
        <ModelPicker session={session} />
        {last === undefined ? null : (
          <button
            type="button"
            class="button"
            disabled={isRunning(session)}
            onClick={() => void keep().catch((error) => setProblem(errorText(error)))}
          >
            {t('Keep this chat')}
          </button>
        )}
      </header>
      <Problem text={problem} />
      {last === undefined ? <p class="quiet">{t('The answer appears here.')}</p> : <MessageList session={session} />}
    </section>
  );
}

function SharedComposer({ sessions }: { readonly sessions: readonly ChatSession[] }) {
  const field = useRef<HTMLTextAreaElement>(null);
  const [text, setText] = useState('');
  const isBusy = sessions.some(isRunning);
  const hasModels = sessions.every(({ document }) => document.value.model !== '');
  useEffect(() => field.current?.focus(), []);
  const send = (): void => {
    if (isBusy || !hasModels || text.trim() === '') return;
    for (const session of sessions) session.send({ text: text.trim(), images: [], files: [] });
    setText('');
  };
  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <textarea
        ref={field}
        rows={1}
        aria-label={t('Message to both models')}
        dir="auto"
        placeholder={t('Message to both models')}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          // Enter also ends the choice of a character in many languages.
          if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
          event.preventDefault();
          send();
        }}
      />
      <div class="composer-actions">
        <span class="notice">{hasModels ? '' : t('There are no models yet. Get one in Models.')}</span>
        {isBusy ? (
          <IconButton
            icon="stop"
            label={t('Stop both answers')}
            class="send"
            onClick={() => {
              for (const session of sessions) session.stop();
            }}
          />
        ) : (
          <IconButton icon="send" label={t('Send (Enter)')} class="send" disabled={text.trim() === ''} onClick={send} />
        )}
      </div>
    </form>
  );
}
