// All conversations as a file, and back.

import { useRef, useState } from 'preact/hooks';
import { errorText } from '../../api/request.ts';
import { t } from '../../language/language.ts';
import { importChats } from '../../storage/server-storage.ts';
import type { Workspace } from '../session/workspace.ts';

export function ChatTransfer({ workspace }: { readonly workspace: Workspace }) {
  const input = useRef<HTMLInputElement>(null);
  const [result, setResult] = useState('');
  const load = async (file: File): Promise<void> => {
    try {
      setResult(await importChats(file));
      await workspace.refresh();
    } catch (error) {
      setResult(errorText(error));
    }
  };
  return (
    <>
      <p class="transfer">
        <a href="/api/chats/export" download="hearth-chats.json">
          {t('Export chats')}
        </a>
        <button type="button" class="link" onClick={() => input.current?.click()}>
          {t('Import chats')}
        </button>
      </p>
      <input
        ref={input}
        type="file"
        accept="application/json,.json"
        hidden
        aria-label={t('File with chats')}
        onChange={(event) => {
          const [file] = event.currentTarget.files ?? [];
          if (file !== undefined) void load(file);
          // The same file can be chosen again.
          event.currentTarget.value = '';
        }}
      />
      <output>{result}</output>
    </>
  );
}
