// The settings of the page. Each holds at once; those of a chat, for new chats.

import { useModels } from '../api/models.ts';
import type { Label } from '../language/catalogue.ts';
import { t } from '../language/language.ts';
import { languages } from '../language/languages.ts';
import type { PageSettings, PageSettingsStore } from '../storage/page-settings.ts';
import { Dialog } from '../ui/dialog.tsx';
import { shownName } from '../ui/format.ts';

interface PageSettingsDialogProps {
  readonly settings: PageSettingsStore;
  readonly onClose: () => void;
}

const themes: readonly { readonly value: PageSettings['theme']; readonly text: Label }[] = [
  { value: 'system', text: 'Same as system' },
  { value: 'light', text: 'Light' },
  { value: 'dark', text: 'Dark' },
];

export function PageSettingsDialog({ settings, onClose }: PageSettingsDialogProps) {
  const { model, system, theme, language, maxTokens, showsStatistics, writesTitles } = settings.current.value;
  return (
    <Dialog title={t('Settings')} onClose={onClose} class="settings">
      <p class="quiet">{t('This browser keeps these settings.')}</p>
      <label>
        {t('Theme')}
        <select
          value={theme}
          onChange={({ currentTarget: { value } }) =>
            settings.change({ theme: themes.find((choice) => choice.value === value)?.value ?? 'system' })
          }
        >
          {themes.map(({ value, text }) => (
            <option key={value} value={value}>
              {t(text)}
            </option>
          ))}
        </select>
      </label>
      <label>
        {t('Language')}
        <select value={language} onChange={(event) => settings.change({ language: event.currentTarget.value })}>
          <option value="">{t('Same as browser')}</option>
          {Object.entries(languages).map(([tag, { name }]) => (
            <option key={tag} value={tag} lang={tag}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <label>
        {t('Model for new chats')}
        <select value={model} onChange={(event) => settings.change({ model: event.currentTarget.value })}>
          <option value="">{t('The last one used')}</option>
          {useModels().forChat.value.map(({ name }) => (
            <option key={name} value={name}>
              {shownName(name)}
            </option>
          ))}
        </select>
      </label>
      <label>
        {t('System prompt for new chats')}
        <textarea
          rows={4}
          dir="auto"
          placeholder={t('Instructions for the model')}
          defaultValue={system}
          onChange={(event) => settings.change({ system: event.currentTarget.value })}
        />
      </label>
      <label title={t('Answers are stopped after about this many tokens. 0 means no limit.')}>
        {t('Maximum answer length in tokens (0 = no limit)')}
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
        {t('Show statistics below answers')}
      </label>
      <label class="check">
        <input
          type="checkbox"
          checked={writesTitles}
          onChange={(event) => settings.change({ writesTitles: event.currentTarget.checked })}
        />
        {t('Let the model write chat titles (models with at least a billion parameters)')}
      </label>
    </Dialog>
  );
}
