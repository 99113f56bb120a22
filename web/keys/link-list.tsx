// The chats that users share, for administrators, who can read them and end their links.

import { useEffect, useState } from 'preact/hooks';
import type { SharedLinkBody } from '../../src/features/chats/sharing-schema.ts';
import { ApiError, errorText } from '../api/request.ts';
import { endLink, listLinks } from '../api/sharing-api.ts';
import type { Label } from '../language/catalogue.ts';
import { t } from '../language/language.ts';
import { formatDate } from '../ui/format.ts';
import { IconButton } from '../ui/icon.tsx';
import { Problem } from '../ui/problem.tsx';
import { sharedView, toHash } from '../ui/router.ts';
import { confirm } from './confirm.tsx';

const states: Readonly<Record<SharedLinkBody['state'], Label>> = {
  active: 'can be read',
  suspended: 'suspended: its author has no access',
};

interface Listed {
  readonly links: readonly SharedLinkBody[];
  /** Where the next part begins; absent: this is all. */
  readonly next?: string | undefined;
}

export function LinkList() {
  const [listed, setListed] = useState<Listed | undefined>(undefined);
  const [problem, setProblem] = useState('');
  const showMore = async (before: readonly SharedLinkBody[], after?: string): Promise<void> => {
    const { links, next } = await listLinks(after);
    setListed({ links: [...before, ...links], next });
  };
  const report = (error: unknown): void => {
    // A server that stores no chats has none that are shared.
    if (!(error instanceof ApiError && error.status === 404)) setProblem(errorText(error));
  };
  useEffect(() => void showMore([]).catch(report), []);
  if (listed === undefined) return <Problem text={problem} />;
  const { links, next } = listed;
  const end = ({ shared_link: link, title }: SharedLinkBody): void =>
    confirm({
      title: t('End this link?'),
      action: t('End link'),
      text: t('Nobody can read “{title}” by this link any more. Its author can create another link.', { title }),
      onConfirm: () =>
        void endLink(link).then(
          () => setListed({ links: links.filter((other) => other.shared_link !== link), next }),
          (error) => setProblem(errorText(error)),
        ),
    });
  return (
    <>
      <header class="view-header">
        <h2>{t('Shared chats')}</h2>
      </header>
      <Problem text={problem} />
      {links.length === 0 && next === undefined ? <p class="quiet">{t('No chats are shared.')}</p> : null}
      {links.length === 0 ? null : <LinkTable links={links} onEnd={end} />}
      {next === undefined ? null : (
        <button type="button" class="button" onClick={() => void showMore(links, next).catch(report)}>
          {t('Show more')}
        </button>
      )}
    </>
  );
}

interface LinkTableProps {
  readonly links: readonly SharedLinkBody[];
  readonly onEnd: (link: SharedLinkBody) => void;
}

function LinkTable({ links, onEnd }: LinkTableProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboards must be able to scroll it
    <section class="table-frame" aria-label={t('List of shared chats')} tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th>{t('Chat')}</th>
            <th>{t('Author')}</th>
            <th>{t('Last change')}</th>
            <th>{t('State')}</th>
            <th>
              <span class="visually-hidden">{t('Actions')}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {links.map((link) => (
            <tr key={link.shared_link}>
              <th scope="row" dir="auto">
                {link.state === 'active' ? (
                  <a href={toHash({ view: sharedView, id: link.shared_link })}>{titleOf(link)}</a>
                ) : (
                  titleOf(link)
                )}
              </th>
              <td data-label={t('Author')}>{link.author ?? '–'}</td>
              <td data-label={t('Last change')}>{formatDate(link.updated_at)}</td>
              <td data-label={t('State')}>{t(states[link.state])}</td>
              <td class="model-actions">
                <IconButton
                  icon="close"
                  label={t('End the link of {title}', { title: titleOf(link) })}
                  onClick={() => onEnd(link)}
                />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function titleOf({ title }: SharedLinkBody): string {
  return title === '' ? t('Shared chat') : title;
}
