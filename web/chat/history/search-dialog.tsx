// Finds conversations by their titles and texts.

import { useEffect, useState } from 'preact/hooks';
import { t } from '../../language/language.ts';
import { Chooser } from '../../ui/chooser.tsx';
import { formatDate } from '../../ui/format.ts';
import { navigate } from '../../ui/router.ts';
import type { Workspace } from '../session/workspace.ts';

/** The server is asked when no key was pressed for this time. */
const typingPauseMs = 150;
const maxResults = 50;

export function SearchDialog({ workspace, onClose }: { readonly workspace: Workspace; readonly onClose: () => void }) {
  const [query, setQuery] = useState('');
  const [found, setFound] = useState(workspace.chats.peek());
  useEffect(() => {
    let isCurrent = true;
    const search = (): void =>
      void workspace.search(query).then(
        (chats) => isCurrent && setFound(chats),
        () => {},
      );
    const timer = setTimeout(search, typingPauseMs);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [query]);
  return (
    <Chooser
      title={t('Search chats')}
      placeholder={t('Search titles and messages')}
      query={query}
      choices={found
        .slice(0, maxResults)
        .map(({ id, title, model, updated_at: changed, folder = '', snippet = '' }) => ({
          id,
          content: (
            <>
              <span class="choice-title" dir="auto">
                <Marked text={title} wanted={query} />
              </span>
              {snippet === '' ? null : (
                <span class="snippet" dir="auto">
                  <Marked text={snippet} wanted={query} />
                </span>
              )}
              <small>
                {folder === '' ? '' : `${folder} · `}
                {model} · {formatDate(changed)}
              </small>
            </>
          ),
        }))}
      empty={t('No chats found.')}
      onQuery={setQuery}
      onChoose={(id) => {
        navigate({ view: 'chat', id });
        onClose();
      }}
      onClose={onClose}
    />
  );
}

/** A text with a mark where it contains what the user wants. */
function Marked({ text, wanted }: { readonly text: string; readonly wanted: string }) {
  const [before, found, after] = splitAtMatch(text, wanted.trim());
  return (
    <span>
      {before}
      {found === '' ? null : <mark>{found}</mark>}
      {after}
    </span>
  );
}

/** What is before a text in another one, the text itself, and what is after it. The last two are empty if it is not there. */
export function splitAtMatch(text: string, wanted: string): [before: string, found: string, after: string] {
  const lower = text.toLowerCase();
  const at = wanted === '' || lower.length !== text.length ? -1 : lower.indexOf(wanted.toLowerCase());
  if (at === -1) return [text, '', ''];
  const end = at + wanted.length;
  return [text.slice(0, at), text.slice(at, end), text.slice(end)];
}
