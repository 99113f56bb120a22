// The shared folders, and the chats that users have put into them.

import { useEffect, useState } from 'preact/hooks';
import type { SharedChatsResponseBody } from '../../src/features/chats/sharing-schema.ts';
import { ApiError, errorText } from '../api/request.ts';
import { listFolders } from '../api/sharing-api.ts';
import { t } from '../language/language.ts';
import { formatDate } from '../ui/format.ts';
import { Problem } from '../ui/problem.tsx';
import { sharedView, toHash } from '../ui/router.ts';

type ListedChats = SharedChatsResponseBody['chats'];

export function SharedFolders() {
  const [chats, setChats] = useState<ListedChats | undefined>(undefined);
  const [problem, setProblem] = useState('');
  useEffect(() => {
    listFolders().then(setChats, (error) => {
      // A server that stores no chats has no shared folders.
      if (error instanceof ApiError && error.status === 404) setChats([]);
      else setProblem(errorText(error));
    });
  }, []);
  const folders = [...new Set((chats ?? []).flatMap(({ folder }) => folder ?? []))];
  return (
    <section class="view" aria-label={t('Shared chats')}>
      <header class="view-header">
        <h1>{t('Shared chats')}</h1>
      </header>
      <p class="quiet">
        {t(
          'Chats that users of this server have put into shared folders. You can read them and copy them to your own.',
        )}
      </p>
      <Problem text={problem} />
      {chats?.length === 0 ? (
        <p class="quiet">{t('No chats are in shared folders. To add one of yours, choose “Share…” in its menu.')}</p>
      ) : null}
      {folders.map((folder) => (
        <SharedFolder key={folder} folder={folder} chats={(chats ?? []).filter((chat) => chat.folder === folder)} />
      ))}
    </section>
  );
}

function SharedFolder({ folder, chats }: { readonly folder: string; readonly chats: ListedChats }) {
  return (
    <section>
      <h2 dir="auto">{folder}</h2>
      <ul class="shared-list">
        {chats.map(({ shared_link: link, title, author, updated_at: changed }) => (
          <li key={link}>
            <a href={toHash({ view: sharedView, id: link })} dir="auto">
              {title === '' ? t('Shared chat') : title}
            </a>
            <small>
              {author === undefined ? '' : `${author} · `}
              {formatDate(changed)}
            </small>
          </li>
        ))}
      </ul>
    </section>
  );
}
