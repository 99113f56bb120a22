// The shared folder of a chat: everybody who may use the server finds the chat there.

import { useEffect, useRef, useState } from 'preact/hooks';
import { errorText } from '../../api/request.ts';
import { listFolders, putIntoFolder } from '../../api/sharing-api.ts';
import { t } from '../../language/language.ts';
import { Problem } from '../../ui/problem.tsx';

interface SharedFolderFormProps {
  /** The id of the chat. */
  readonly id: string;
  readonly link: string;
  /** Gets a sentence for the user. */
  readonly onDone: (text: string) => void;
}

export function SharedFolderForm({ id, link, onDone }: SharedFolderFormProps) {
  const [current, setCurrent] = useState('');
  const [name, setName] = useState('');
  const [folders, setFolders] = useState<readonly string[]>([]);
  const [problem, setProblem] = useState('');
  const isTouched = useRef(false);
  const report = (error: unknown): void => setProblem(errorText(error));
  useEffect(() => {
    listFolders().then((chats) => {
      const { folder = '' } = chats.find((chat) => chat.shared_link === link) ?? {};
      setFolders([...new Set(chats.flatMap((chat) => chat.folder ?? []))]);
      // What the user has entered meanwhile is newer.
      if (isTouched.current) return;
      setCurrent(folder);
      setName(folder);
    }, report);
  }, [link]);
  const put = async (folder: string): Promise<void> => {
    await putIntoFolder(id, folder);
    setCurrent(folder);
    setName(folder);
    setProblem('');
    onDone(
      folder === ''
        ? t('The chat is in no shared folder.')
        : t('Everybody who can use this server finds the chat in “{folder}”.', { folder }),
    );
  };
  return (
    <form
      class="shared-folder"
      onSubmit={(event) => {
        event.preventDefault();
        put(name.trim()).catch(report);
      }}
    >
      <label>
        {t('Shared folder')}
        <input
          list="shared-folders"
          value={name}
          maxLength={100}
          required
          dir="auto"
          placeholder={t('A new or existing folder')}
          onInput={(event) => {
            isTouched.current = true;
            setName(event.currentTarget.value);
          }}
        />
      </label>
      <datalist id="shared-folders">
        {folders.map((folder) => (
          <option key={folder} value={folder} />
        ))}
      </datalist>
      <button type="submit" class="button">
        {t('Put into folder')}
      </button>
      {current === '' ? null : (
        <button type="button" class="button" onClick={() => void put('').catch(report)}>
          {t('Remove from folder')}
        </button>
      )}
      <p class="quiet">{t('In a shared folder, everybody who can use this server finds the chat without the link.')}</p>
      <Problem text={problem} />
    </form>
  );
}
