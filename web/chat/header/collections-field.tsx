// The collections that a chat searches.

import { useEffect, useState } from 'preact/hooks';
import type { CollectionsResponseBody } from '../../../src/features/documents/documents-schema.ts';
import { requestJson } from '../../api/request.ts';
import { t } from '../../language/language.ts';
import { closeDialog } from '../../ui/dialog.tsx';
import { toHash } from '../../ui/router.ts';
import type { ChatSession } from '../session/chat-session.ts';

export function CollectionsField({ session }: { readonly session: ChatSession }) {
  const [found, setFound] = useState<CollectionsResponseBody['collections'] | undefined>(undefined);
  const { collections: chosen = [] } = session.document.value;
  useEffect(() => {
    // A server without collections has none to choose.
    requestJson<CollectionsResponseBody>('/api/collections').then(
      ({ collections }) => setFound(collections),
      () => {},
    );
  }, []);
  if (found === undefined) return null;
  const toggle = (id: string, isChosen: boolean): void => {
    const others = chosen.filter((each) => each !== id && found.some((collection) => collection.id === each));
    session.configure({ collections: isChosen ? [...others, id] : others });
  };
  return (
    <fieldset>
      <legend>{t('Answer from these collections')}</legend>
      {found.map(({ id, name }) => (
        <label key={id} class="check">
          <input
            type="checkbox"
            checked={chosen.includes(id)}
            onChange={(event) => toggle(id, event.currentTarget.checked)}
          />
          {name}
        </label>
      ))}
      <a href={toHash({ view: 'files', id: '' })} onClick={closeDialog}>
        {t('Files')}
      </a>
    </fieldset>
  );
}
