// The passages that an answer cites. A click shows the text around one.

import type { ChatPassage } from '../../../src/server/dialects/ollama/generation/chat-schema.ts';
import { nameOf, PassageDialog } from '../../files/passage-dialog.tsx';
import { t } from '../../language/language.ts';
import { showDialog } from '../../ui/dialog.tsx';
import { Icon } from '../../ui/icon.tsx';
import { chooseCited } from './choose-cited.ts';

interface SourcesProps {
  readonly text: string;
  readonly passages: readonly ChatPassage[];
}

export function Sources({ text, passages }: SourcesProps) {
  const { cited, others } = chooseCited(text, passages);
  if (passages.length === 0) return null;
  return (
    <div class="sources">
      {cited.length === 0 ? null : <PassageList label={t('Sources')} passages={cited} />}
      {others.length === 0 ? null : (
        <details>
          <summary>{t('Other passages that were found')}</summary>
          <PassageList label={t('Other passages that were found')} passages={others} />
        </details>
      )}
    </div>
  );
}

function PassageList({ label, passages }: { readonly label: string; readonly passages: readonly ChatPassage[] }) {
  return (
    <ul aria-label={label}>
      {passages.map((passage) => (
        <li key={passage.number}>
          <button type="button" class="button" onClick={() => showDialog(<PassageDialog passage={passage} />)}>
            <Icon name="file" />
            {`[${passage.number}] ${nameOf(passage)}`}
          </button>
        </li>
      ))}
    </ul>
  );
}
