// All chats, to delete or move many of them at once.

import { useState } from 'preact/hooks';
import { errorText } from '../../api/request.ts';
import { t } from '../../language/language.ts';
import { closeDialog, Dialog, showDialog } from '../../ui/dialog.tsx';
import { formatDate } from '../../ui/format.ts';
import { Problem } from '../../ui/problem.tsx';
import { currentLocation, navigate } from '../../ui/router.ts';
import type { Workspace } from '../session/workspace.ts';
import { ChatTransfer } from './chat-transfer.tsx';
import { FolderDialog } from './folder-dialog.tsx';

export function ManageDialog({ workspace }: { readonly workspace: Workspace }) {
  const [query, setQuery] = useState('');
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [problem, setProblem] = useState('');
  const wanted = query.trim().toLowerCase();
  const shown = workspace.chats.value.filter(({ title, folder = '' }) =>
    `${title}\n${folder}`.toLowerCase().includes(wanted),
  );
  // What the filter hides is not changed.
  const affected = shown.filter(({ id }) => chosen.has(id));
  const toggle = (ids: readonly string[], isChosen: boolean): void => {
    const next = new Set(chosen);
    for (const id of ids)
      if (isChosen) next.add(id);
      else next.delete(id);
    setChosen(next);
  };
  const remove = (): void => {
    const ids = affected.map(({ id }) => id);
    if (ids.includes(currentLocation.peek().id)) navigate({ view: '', id: '' });
    workspace.remove(ids).then(closeDialog, (error) => setProblem(errorText(error)));
  };
  const isNone = affected.length === 0;
  return (
    <Dialog title={t('Manage chats')} onClose={closeDialog} class="manage">
      <input
        type="search"
        aria-label={t('Filter by title or folder')}
        placeholder={t('Filter by title or folder')}
        value={query}
        onInput={(event) => setQuery(event.currentTarget.value)}
      />
      {shown.length === 0 ? (
        <p class="quiet">{t('No chats.')}</p>
      ) : (
        <>
          <label class="check">
            <input
              type="checkbox"
              checked={affected.length === shown.length}
              onChange={(event) =>
                toggle(
                  shown.map(({ id }) => id),
                  event.currentTarget.checked,
                )
              }
            />
            {t('Select all')}
          </label>
          <ul>
            {shown.map(({ id, title, folder = '', updated_at: changed }) => (
              <li key={id}>
                <label class="check">
                  <input
                    type="checkbox"
                    checked={chosen.has(id)}
                    onChange={(event) => toggle([id], event.currentTarget.checked)}
                  />
                  <span dir="auto">{title}</span>
                  <small>
                    {folder === '' ? '' : `${folder} · `}
                    {formatDate(changed)}
                  </small>
                </label>
              </li>
            ))}
          </ul>
        </>
      )}
      {workspace.isDurable ? <ChatTransfer workspace={workspace} /> : null}
      <Problem text={problem} />
      <footer>
        <button
          type="button"
          class="button"
          disabled={isNone}
          onClick={() => showDialog(<FolderDialog workspace={workspace} chats={affected} />)}
        >
          {t('Move to folder…')}
        </button>
        <button type="button" class="button danger" disabled={isNone} onClick={remove}>
          {isNone ? t('Delete') : t('Delete {count}', { count: affected.length })}
        </button>
      </footer>
    </Dialog>
  );
}
