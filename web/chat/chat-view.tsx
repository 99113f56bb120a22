// A conversation: its header, its messages, and the field for the next one.

import { useEffect } from 'preact/hooks';
import { useModels } from '../api/models.ts';
import { mayManage } from '../api/session.ts';
import { Problem } from '../ui/problem.tsx';
import { renameLocation, toHash } from '../ui/router.ts';
import { addShortcuts } from '../ui/shortcuts.ts';
import { useLoaded } from '../ui/use-loaded.ts';
import { Composer } from './composer.tsx';
import type { Drafts, MessageDraft } from './drafts.ts';
import { ChatHeader } from './header/chat-header.tsx';
import { MessageList } from './messages/message-list.tsx';
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
    <section class="chat" aria-label="Chat">
      <ChatHeader session={session} />
      {messages.length === 0 ? <Welcome session={session} draft={draft} /> : <MessageList session={session} />}
      <div class="column">
        <Problem text={problem === '' ? '' : `This chat could not be saved: ${problem}`} />
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

/** For screen readers, which would read the text itself word by word as it arrives. */
function announce({ running, path }: ChatSession): string {
  if (running.value !== undefined) return 'Answering';
  const last = path.value.at(-1);
  return last?.role === 'assistant' ? `Answer: ${last.error ?? last.content}` : '';
}

/** What Ember answers well. */
const emberPrompts = ['What is the capital of France?', 'Why is the sky blue?', 'What is 2 + 2?'];

/** What is shown before the first message. */
function Welcome({ session, draft }: { readonly session: ChatSession; readonly draft: MessageDraft }) {
  const models = useModels();
  const presets = useLoaded(() => import('../library/preset-row.tsx'));
  const isEmber = /^ember(:|$)/.test(session.document.value.model);
  return (
    <div class="welcome">
      <img src="/page/icon.svg" alt="" width="56" height="56" />
      <h2>What can I help with?</h2>
      {models.entries.value?.length === 0 ? (
        <>
          <p>There are no models on this server yet.</p>
          <a class="button primary" href={toHash({ view: 'models', id: '' })}>
            Get a model
          </a>
        </>
      ) : (
        <p>
          {session.isTemporary
            ? 'This chat is temporary. It is not stored, and it is gone when you leave it.'
            : 'Everything stays on this server.'}
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
          <p>Ember is a small demonstration model: it knows little and makes things up. Try one of these.</p>
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
          {mayManage.value ? <a href={toHash({ view: 'catalogue', id: '' })}>Get a real model</a> : null}
        </>
      ) : null}
    </div>
  );
}
