// The search of a collection. A result opens the text around it.

import { useState } from 'preact/hooks';
import { errorText } from '../api/request.ts';
import { t } from '../language/language.ts';
import { showDialog } from '../ui/dialog.tsx';
import { Problem } from '../ui/problem.tsx';
import { searchCollection } from './collection-api.ts';
import { nameOf, PassageDialog, type ShownPassage } from './passage-dialog.tsx';

export function SearchSection({ id }: { readonly id: string }) {
  const [query, setQuery] = useState('');
  const [found, setFound] = useState<readonly ShownPassage[] | undefined>(undefined);
  const [problem, setProblem] = useState('');
  const search = async (): Promise<void> => {
    setProblem('');
    try {
      setFound(await searchCollection(id, query));
    } catch (error) {
      setProblem(errorText(error));
    }
  };
  return (
    <>
      <form
        class="filters"
        onSubmit={(event) => {
          event.preventDefault();
          if (query.trim() !== '') void search();
        }}
      >
        <input
          type="search"
          aria-label={t('Search this collection')}
          placeholder={t('Search this collection')}
          maxLength={4000}
          value={query}
          onInput={(event) => setQuery(event.currentTarget.value)}
        />
        <button type="submit" class="button" disabled={query.trim() === ''}>
          {t('Search')}
        </button>
      </form>
      <Problem text={problem} />
      {found?.length === 0 ? <p class="quiet">{t('Nothing was found.')}</p> : null}
      <ol class="passages">
        {(found ?? []).map((passage) => (
          <li key={`${passage.file_id} ${passage.page} ${passage.start}`}>
            <button type="button" class="link" onClick={() => showDialog(<PassageDialog passage={passage} />)}>
              {nameOf(passage)}
            </button>
            <p dir="auto">{passage.text}</p>
          </li>
        ))}
      </ol>
    </>
  );
}
