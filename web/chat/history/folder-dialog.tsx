// Moves chats to a folder. A folder exists as long as a chat is in it.

import { useState } from 'preact/hooks';
import { errorText } from '../../api/request.ts';
import type { ListedChat } from '../../conversation/chat-document.ts';
import { plural, t } from '../../language/language.ts';
import { closeDialog, Dialog } from '../../ui/dialog.tsx';
import { Problem } from '../../ui/problem.tsx';
import type { Workspace } from '../session/workspace.ts';
import { foldersOf } from './group-chats.ts';

interface FolderDialogProps {
  readonly workspace: Workspace;
  readonly chats: readonly ListedChat[];
}

export function FolderDialog({ workspace, chats }: FolderDialogProps) {
  const current = chats[0]?.folder ?? '';
  const [name, setName] = useState(current);
  const [problem, setProblem] = useState('');
  const folders = foldersOf(workspace.chats.value);
  const move = (folder: string): void =>
    void workspace
      .arrange(
        chats.map(({ id }) => id),
        { folder },
      )
      .then(closeDialog, (error) => setProblem(errorText(error)));
  return (
    <Dialog title={plural(chats.length, 'Move chat', 'Move {count} chats')} onClose={closeDialog} class="confirm">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          move(name.trim());
        }}
      >
        <label>
          {t('Folder')}
          <input
            list="folders"
            value={name}
            maxLength={100}
            required
            dir="auto"
            placeholder={t('A new or existing folder')}
            onInput={(event) => setName(event.currentTarget.value)}
          />
        </label>
        <datalist id="folders">
          {folders.map((folder) => (
            <option key={folder} value={folder} />
          ))}
        </datalist>
        <Problem text={problem} />
        <footer>
          {chats.some(({ folder = '' }) => folder !== '') ? (
            <button type="button" class="button" onClick={() => move('')}>
              {t('Remove from folder')}
            </button>
          ) : null}
          <button type="submit" class="button primary">
            {t('Move')}
          </button>
        </footer>
      </form>
    </Dialog>
  );
}
