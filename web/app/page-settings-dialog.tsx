// The settings of the page. Each holds at once; those of a chat, for new chats.

import { useModels } from '../api/models.ts';
import type { PageSettings, PageSettingsStore } from '../storage/page-settings.ts';
import { Dialog } from '../ui/dialog.tsx';
import { shownName } from '../ui/format.ts';

interface PageSettingsDialogProps {
  readonly settings: PageSettingsStore;
  readonly onClose: () => void;
}

const themes: readonly { readonly value: PageSettings['theme']; readonly text: string }[] = [
  { value: 'system', text: 'Same as system' },
  { value: 'light', text: 'Light' },
  { value: 'dark', text: 'Dark' },
];

export function PageSettingsDialog({ settings, onClose }: PageSettingsDialogProps) {
  const { model, system, theme, maxTokens, showsStatistics, writesTitles } = settings.current.value;
  return (
    <Dialog title="Settings" onClose={onClose} class="settings">
      <p class="quiet">This browser keeps these settings.</p>
      <label>
        Theme
        <select
          value={theme}
          onChange={({ currentTarget: { value } }) =>
            settings.change({ theme: themes.find((choice) => choice.value === value)?.value ?? 'system' })
          }
        >
          {themes.map(({ value, text }) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
      </label>
      <label>
        Model for new chats
        <select value={model} onChange={(event) => settings.change({ model: event.currentTarget.value })}>
          <option value="">The last one used</option>
          {useModels().forChat.value.map(({ name }) => (
            <option key={name} value={name}>
              {shownName(name)}
            </option>
          ))}
        </select>
      </label>
      <label>
        System prompt for new chats
        <textarea
          rows={4}
          dir="auto"
          placeholder="Instructions for the model"
          defaultValue={system}
          onChange={(event) => settings.change({ system: event.currentTarget.value })}
        />
      </label>
      <label title="Answers are stopped after about this many tokens. 0 means no limit.">
        Maximum answer length in tokens (0 = no limit)
        <input
          type="number"
          min={0}
          step={256}
          value={maxTokens}
          onChange={({ currentTarget: { valueAsNumber: count } }) =>
            settings.change({ maxTokens: Number.isFinite(count) ? Math.max(0, Math.round(count)) : 0 })
          }
        />
      </label>
      <label class="check">
        <input
          type="checkbox"
          checked={showsStatistics}
          onChange={(event) => settings.change({ showsStatistics: event.currentTarget.checked })}
        />
        Show statistics below answers
      </label>
      <label class="check">
        <input
          type="checkbox"
          checked={writesTitles}
          onChange={(event) => settings.change({ writesTitles: event.currentTarget.checked })}
        />
        Let the model write chat titles (models with at least a billion parameters)
      </label>
    </Dialog>
  );
}
