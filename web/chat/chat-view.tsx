// A conversation: its header, its messages, and the field for the next one.

import { signal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import { useModels } from '../api/models.ts';
import { errorText } from '../api/request.ts';
import { mayManage } from '../api/session.ts';
import { hasUndecided } from '../conversation/tool-calls.ts';
import { t } from '../language/language.ts';
import { Problem } from '../ui/problem.tsx';
import { renameLocation, toHash } from '../ui/router.ts';
import { addShortcuts } from '../ui/shortcuts.ts';
import { useLoaded } from '../ui/use-loaded.ts';
import { Composer } from './composer.tsx';
import type { Drafts, MessageDraft } from './drafts.ts';
import { emberPrompts } from './ember-prompts.ts';
import { ChatHeader } from './header/chat-header.tsx';
import type { ChatSession } from './session/chat-session.ts';

interface ChatViewProps {
  readonly session: ChatSession;
  readonly drafts: Drafts;
}

export function ChatView({ session, drafts }: ChatViewProps) {
  const { id, title, messages } = session.document.value;
  const { isTemporary } = session;
  // All new chats share a draft.
  const draft = isTemporary ? drafts.temporary : drafts.of(messages.length === 0 ? '' : id);
  const problem = session.saveProblem.value;
  useEffect(() => addShortcuts([{ key: 'escape', run: () => session.stop() }]), [session]);
  useEffect(() => {
    document.title = title === '' ? 'Hearth' : `${title} – Hearth`;
  }, [title]);
  return (
    <section class="chat" aria-label={t('Chat')}>
      <ChatHeader session={session} />
      <Messages session={session} draft={draft} />
      <div class="column">
        <Problem text={problem === '' ? '' : t('This chat could not be saved: {reason}', { reason: problem })} />
        <Composer
          session={session}
          draft={draft}
          onSent={() => {
            if (!isTemporary) renameLocation({ view: 'chat', id });
          }}
        />
      </div>
      <output class="visually-hidden">{announce(session)}</output>
    </section>
  );
}

/** Loaded after the first view: what answers need is nearly as large as all the rest. */
const messageList = signal<typeof import('./messages/message-list.tsx') | undefined>(undefined);

function Messages({ session, draft }: { readonly session: ChatSession; readonly draft: MessageDraft }) {
  const [problem, setProblem] = useState('');
  const isEmpty = session.document.value.messages.length === 0;
  useEffect(() => {
    if (messageList.peek() !== undefined) return;
    import('./messages/message-list.tsx').then(
      (module) => {
        messageList.value = module;
      },
      (error) => setProblem(errorText(error)),
    );
  }, [isEmpty]);
  if (isEmpty) return <Welcome session={session} draft={draft} />;
  const loaded = messageList.value;
  if (loaded !== undefined) return <loaded.MessageList session={session} />;
  return (
    <div class="messages-frame">
      <Problem text={problem === '' ? '' : t('This view could not be loaded: {reason}', { reason: problem })} />
    </div>
  );
}

/** For screen readers, which would read the text itself word by word as it arrives. */
function announce({ running, path }: ChatSession): string {
  if (running.value !== undefined) return t('Answering');
  const last = path.value.at(-1);
  if (last !== undefined && hasUndecided(last)) return t('Needs your permission');
  return last?.role === 'assistant' ? t('Answer: {text}', { text: last.error ?? last.content }) : '';
}

/** What is shown before the first message. */
function Welcome({ session, draft }: { readonly session: ChatSession; readonly draft: MessageDraft }) {
  const models = useModels();
  const presets = useLoaded(() => import('../library/preset-row.tsx'));
  const isEmber = /^ember(:|$)/.test(session.document.value.model);
  return (
    <div class="welcome">
      <img src="/page/icon.svg" alt="" width="56" height="56" />
      <h2>{t('What can I help with?')}</h2>
      {models.entries.value?.length === 0 ? (
        <>
          <p>{t('There are no models on this server yet.')}</p>
          <a class="button primary" href={toHash({ view: 'models', id: '' })}>
            {t('Get a model')}
          </a>
        </>
      ) : (
        <p>
          {session.isTemporary
            ? t('This chat is temporary. It is not stored, and it is gone when you leave it.')
            : t('Everything stays on this server.')}
        </p>
      )}
      {presets === undefined ? null : (
        <presets.PresetRow
          current={session.document.value}
          onChoose={({ model = '', system = '', options = {}, format = null, think }) =>
            session.configure({
              // A model that is gone cannot be asked.
              model: models.find(model) === undefined ? session.document.peek().model : model,
              ...{ system, options, format, think },
            })
          }
        />
      )}
      {isEmber ? (
        <>
          <p>{t('Ember is a small demonstration model: it knows little and makes things up. Try one of these.')}</p>
          <div class="examples">
            {emberPrompts.map((prompt) => (
              <button
                key={prompt}
                type="button"
                class="button"
                onClick={() => {
                  draft.text.value = prompt;
                }}
              >
                {prompt}
              </button>
            ))}
          </div>
          {mayManage.value ? <a href={toHash({ view: 'catalogue', id: '' })}>{t('Get a real model')}</a> : null}
        </>
      ) : null}
    </div>
  );
}
