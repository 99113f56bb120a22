// The presets that a new chat can begin with. Nothing is shown if there are none.

import { useEffect } from 'preact/hooks';
import { t } from '../language/language.ts';
import type { Preset } from './library.ts';
import { library } from './own-library.ts';

interface PresetRowProps {
  /** What the chat has now. */
  readonly current: { readonly model: string; readonly system: string };
  readonly onChoose: (preset: Preset) => void;
}

export function PresetRow({ current, onChoose }: PresetRowProps) {
  useEffect(() => void library.load().catch(() => {}), []);
  const presets = library.content.value?.presets ?? [];
  if (presets.length === 0) return null;
  return (
    <fieldset class="examples" aria-label={t('Presets')}>
      {presets.map((preset) => (
        <button
          key={preset.id}
          type="button"
          class="button"
          aria-pressed={preset.system === current.system && preset.model === current.model}
          onClick={() => onChoose(preset)}
        >
          {preset.name}
        </button>
      ))}
    </fieldset>
  );
}
