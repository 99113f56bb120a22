// The keys of the server and what they have used in the last day.

import { describeLimits } from '../keys/key-request.ts';
import type { Label } from '../language/catalogue.ts';
import { t } from '../language/language.ts';
import { formatCount } from '../ui/format.ts';
import type { KeyUsage } from './now-data.ts';

type Key = KeyUsage['keys'][number];
type Usage = KeyUsage['groups'][number];

const figureNames: readonly Label[] = ['Requests', 'Failed', 'Prompt tokens', 'Cached', 'Generated tokens'];

export function KeyTable({ usage: { keys, groups } }: { readonly usage: KeyUsage }) {
  return (
    <section aria-labelledby="keys-title">
      <h2 id="keys-title">{t('Keys and their usage in the last 24 hours')}</h2>
      <div class="table-frame">
        <table>
          <thead>
            <tr>
              <th>{t('Key')}</th>
              <th>{t('Scope')}</th>
              <th>{t('Limits')}</th>
              {figureNames.map((name) => (
                <th key={name} class="number">
                  {t(name)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {keys.map((key) => (
              <KeyRow key={key.id} entry={key} used={groups.find(({ name }) => name === key.name)} />
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function KeyRow({ entry, used }: { readonly entry: Key; readonly used: Usage | undefined }) {
  const { requests = 0, failed = 0, prompt_tokens: prompt = 0, cached_tokens: cached = 0 } = used ?? {};
  const figures = [requests, failed, prompt, cached, used?.generated_tokens ?? 0];
  return (
    <tr>
      <th scope="row">{entry.name}</th>
      <td data-label={t('Scope')}>{entry.scope}</td>
      <td data-label={t('Limits')}>{describeLimits(entry) || '–'}</td>
      {figures.map((figure, index) => (
        <td key={index} class="number" data-label={t(figureNames[index] ?? 'Requests')}>
          {formatCount(figure)}
        </td>
      ))}
    </tr>
  );
}
