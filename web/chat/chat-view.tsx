// A conversation: its header, its messages, and the field for the next one.

import { useEffect } from 'preact/hooks';
import { renameLocation } from '../ui/router.ts';
import { addShortcuts } from '../ui/shortcuts.ts';
import { Composer } from './composer.tsx';
import { ChatHeader } from './header/chat-header.tsx';
import { MessageList } from './messages/message-list.tsx';
import type { ChatSession } from './session/chat-session.ts';
import { Welcome } from './welcome.tsx';

export function ChatView({ session }: { readonly session: ChatSession }) {
  useEffect(() => addShortcuts([{ key: 'escape', run: session.stop }]), [session]);
  const { title } = session.document.value;
  useEffect(() => {
    document.title = title === '' ? 'Hearth' : `${title} – Hearth`;
  }, [title]);
  const isNew = session.document.value.messages.length === 0;
  const problem = session.saveProblem.value;
  return (
    <section class="chat" aria-label="Chat">
      <ChatHeader session={session} />
      {isNew ? <Welcome /> : <MessageList session={session} />}
      <div class="column">
        {problem === '' ? null : (
          <p class="problem" role="alert">
            This chat is not stored: {problem}
          </p>
        )}
        <Composer session={session} onSent={() => renameLocation({ view: 'chat', id: session.document.peek().id })} />
      </div>
      <output class="visually-hidden">{announce(session)}</output>
    </section>
  );
}

/** For screen readers: the text itself would be read word by word as it arrives. */
function announce({ running, path }: ChatSession): string {
  if (running.value !== undefined) return 'Answering';
  const last = path.value.at(-1);
  return last?.role === 'assistant' ? `Answer: ${last.error ?? last.content}` : '';
}
