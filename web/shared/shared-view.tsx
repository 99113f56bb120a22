// A conversation that another user shares: read only, as it is when the view opens. Without a link, the shared folders.

import { useEffect, useState } from 'preact/hooks';
import type { SharedChatBody } from '../../src/features/chats/sharing-schema.ts';
import { useModels } from '../api/models.ts';
import { errorText } from '../api/request.ts';
import { readShared } from '../api/sharing-api.ts';
import type { Workspace } from '../chat/session/workspace.ts';
import { t } from '../language/language.ts';
import { formatDate } from '../ui/format.ts';
import { Icon } from '../ui/icon.tsx';
import { Problem } from '../ui/problem.tsx';
import { navigate } from '../ui/router.ts';
import { copyShared } from './copy-shared.ts';
import { SharedFolders } from './shared-folders.tsx';
import { SharedMessage } from './shared-message.tsx';

interface SharedViewProps {
  /** The link; empty: the view lists the shared folders. */
  readonly id: string;
  readonly workspace: Workspace;
}

/** What the server said about the link; undefined: nothing yet. */
type Found = { readonly chat: SharedChatBody | undefined } | { readonly problem: string } | undefined;

export function SharedView({ id: link, workspace }: SharedViewProps) {
  return link === '' ? <SharedFolders /> : <LinkedChat link={link} workspace={workspace} />;
}

function LinkedChat({ link, workspace }: Pick<SharedViewProps, 'workspace'> & { readonly link: string }) {
  const [found, setFound] = useState<Found>(undefined);
  useEffect(() => {
    let isCurrent = true;
    const show = (next: Found): void => {
      if (isCurrent) setFound(next);
    };
    show(undefined);
    readShared(link).then(
      (chat) => show({ chat }),
      (error) => show({ problem: errorText(error) }),
    );
    return () => {
      isCurrent = false;
    };
  }, [link]);
  if (found === undefined) return null;
  if ('problem' in found) return <NoChat problem={found.problem} />;
  if (found.chat === undefined)
    return (
      <NoChat problem={t('This link does not work: its author has stopped sharing, or the link is not complete.')} />
    );
  return <SharedChat chat={found.chat} workspace={workspace} />;
}

function NoChat({ problem }: { readonly problem: string }) {
  return (
    <section class="view" aria-label={t('Shared chat')}>
      <header class="view-header">
        <h1>{t('Shared chat')}</h1>
      </header>
      <Problem text={problem} />
    </section>
  );
}

/** Messages at the beginning are rendered at once, those after them when they come near the view. */
const renderedAtOnce = 12;

interface SharedChatProps {
  readonly chat: SharedChatBody;
  readonly workspace: Workspace;
}

function SharedChat({ chat, workspace }: SharedChatProps) {
  const { author, messages } = chat;
  const title = chat.title === '' ? t('Shared chat') : chat.title;
  useEffect(() => {
    document.title = `${title} – Hearth`;
  }, [title]);
  return (
    <section class="chat" aria-label={t('Shared chat')}>
      <SharedHeader title={title} chat={chat} workspace={workspace} />
      <div class="messages-frame">
        <div class="messages">
          <div class="column">
            {messages.map((message, index) => (
              <SharedMessage
                key={index}
                message={message}
                author={author ?? t('Author')}
                isRendered={index < renderedAtOnce}
              />
            ))}
          </div>
        </div>
      </div>
    </section>
  );
}

function SharedHeader({ title, chat, workspace }: SharedChatProps & { readonly title: string }) {
  const { author, updated_at: changed } = chat;
  const models = useModels();
  const [problem, setProblem] = useState('');
  const copy = (): void => {
    const document = copyShared(chat, { now: new Date().toISOString(), model: models.preferred() });
    workspace.add(document).then(
      (id) => navigate({ view: 'chat', id }),
      (error) => setProblem(errorText(error)),
    );
  };
  const date = formatDate(changed);
  return (
    <>
      <div class="chat-header">
        <h1 dir="auto">{title}</h1>
        <button type="button" class="button" onClick={copy}>
          <Icon name="copy" />
          {t('Copy to my chats')}
        </button>
      </div>
      <p class="column shared-facts">
        {author === undefined ? t('Shared with you') : t('Shared by {name}', { name: author })}
        {' · '}
        {t('Last change: {date}', { date })}
        {' · '}
        {t('You can read this chat. Only its author can change it.')}
      </p>
      <div class="column">
        <Problem text={problem} />
      </div>
    </>
  );
}
