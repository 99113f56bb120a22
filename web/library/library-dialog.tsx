// Presets and prompts: all of them, and a form for a prompt.

import { useEffect, useState } from 'preact/hooks';
import { errorText } from '../api/request.ts';
import { t } from '../language/language.ts';
import { closeDialog, Dialog } from '../ui/dialog.tsx';
import { shownName } from '../ui/format.ts';
import { IconButton } from '../ui/icon.tsx';
import { Problem } from '../ui/problem.tsx';
import type { Preset, Prompt } from './library.ts';
import { library } from './own-library.ts';

export function LibraryDialog() {
  const [problem, setProblem] = useState('');
  const [edited, setEdited] = useState<Prompt | undefined>(undefined);
  const attempt = (change: Promise<unknown>): void =>
    void change.then(
      () => setProblem(''),
      (error) => setProblem(errorText(error)),
    );
  useEffect(() => attempt(library.load()), []);
  const { presets, prompts } = library.content.value ?? { presets: [], prompts: [] };
  return (
    <Dialog title={t('Presets and prompts')} onClose={closeDialog} class="library">
      <Problem text={problem} />
      <section>
        <h3>{t('Presets')}</h3>
        {presets.length === 0 ? (
          <p class="quiet">
            {t('A preset is a model with a system prompt and options. To save one, open the settings of a chat.')}
          </p>
        ) : (
          <ul>
            {presets.map((preset) => (
              <li key={preset.id}>
                <EntryText name={preset.name} detail={describePreset(preset)} />
                <IconButton
                  icon="trash"
                  label={t('Delete the preset {name}', { name: preset.name })}
                  onClick={() => attempt(library.remove(preset.id))}
                />
              </li>
            ))}
          </ul>
        )}
      </section>
      <section>
        <h3>{t('Prompts')}</h3>
        <p class="quiet">{t('Type / in a message to insert one.')}</p>
        <ul>
          {prompts.map((prompt) => (
            <li key={prompt.id}>
              <EntryText name={prompt.name} detail={prompt.text} />
              <IconButton
                icon="edit"
                label={t('Edit the prompt {name}', { name: prompt.name })}
                onClick={() => setEdited(prompt)}
              />
              <IconButton
                icon="trash"
                label={t('Delete the prompt {name}', { name: prompt.name })}
                onClick={() => attempt(library.remove(prompt.id))}
              />
            </li>
          ))}
        </ul>
        <PromptForm
          key={edited?.id ?? `new ${prompts.length}`}
          prompt={edited}
          onSave={(prompt) => {
            setEdited(undefined);
            attempt(library.savePrompt(prompt));
          }}
        />
      </section>
    </Dialog>
  );
}

function EntryText({ name, detail }: Record<'name' | 'detail', string>) {
  return (
    <span>
      <span dir="auto">{name}</span>
      <small dir="auto">{detail}</small>
    </span>
  );
}

function describePreset({ model = '', system = '', options = {} }: Preset): string {
  const values = Object.entries(options).map(([name, value]) => `${name} ${String(value)}`);
  return [shownName(model), ...values, system].filter((part) => part !== '').join(' · ');
}

interface PromptFormProps {
  /** undefined: a new one. */
  readonly prompt: Prompt | undefined;
  readonly onSave: (prompt: Pick<Prompt, 'name' | 'text'> & Partial<Prompt>) => void;
}

function PromptForm({ prompt, onSave }: PromptFormProps) {
  const [name, setName] = useState(prompt?.name ?? '');
  const [text, setText] = useState(prompt?.text ?? '');
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onSave({ id: prompt?.id, name: name.trim(), text });
      }}
    >
      <label>
        {t('Name')}
        <input
          value={name}
          required
          pattern=".*\S.*"
          maxLength={100}
          dir="auto"
          onInput={(event) => setName(event.currentTarget.value)}
        />
      </label>
      <label>
        {t('Text')}
        <textarea
          value={text}
          required
          rows={3}
          dir="auto"
          placeholder={t('Summarize this text in three sentences: {variable}', { variable: '{{text}}' })}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </label>
      <footer>
        <button type="submit" class="button primary">
          {prompt === undefined ? t('Add prompt') : t('Save prompt')}
        </button>
      </footer>
    </form>
  );
}
