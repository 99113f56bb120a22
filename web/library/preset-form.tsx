// Saves the settings of a chat as a preset.

import { useState } from 'preact/hooks';
import { errorText } from '../api/request.ts';
import { t } from '../language/language.ts';
import type { Preset } from './library.ts';
import { library } from './own-library.ts';

export function PresetForm({ settings }: { readonly settings: Omit<Preset, 'id' | 'name'> }) {
  const [name, setName] = useState('');
  const [result, setResult] = useState('');
  const save = async (): Promise<void> => {
    // The same name replaces a preset.
    const { presets } = await library.load();
    await library.savePreset({
      ...settings,
      id: presets.find((preset) => preset.name === name.trim())?.id,
      name: name.trim(),
    });
    setResult(t('Saved as “{name}”. New chats offer it.', { name: name.trim() }));
    setName('');
  };
  return (
    <form
      class="preset-form"
      onSubmit={(event) => {
        event.preventDefault();
        save().catch((error) => setResult(errorText(error)));
      }}
    >
      <label>
        {t('Preset name')}
        <input
          value={name}
          required
          pattern=".*\S.*"
          maxLength={100}
          dir="auto"
          onInput={(event) => setName(event.currentTarget.value)}
        />
      </label>
      <button type="submit" class="button">
        {t('Save as preset')}
      </button>
      <output>{result}</output>
    </form>
  );
}
