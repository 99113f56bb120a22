// The settings of one chat: system prompt, thinking, options, the format of answers. Each holds from the next answer on.

import { useState } from 'preact/hooks';
import { useModels } from '../../api/models.ts';
import { fileNameOf, toMarkdown } from '../../conversation/to-markdown.ts';
import { t } from '../../language/language.ts';
import { PresetForm } from '../../library/preset-form.tsx';
import { closeDialog, Dialog } from '../../ui/dialog.tsx';
import type { ChatSession } from '../session/chat-session.ts';
import { formatToText, optionInputs, parseFormat, withOption } from './chat-options.ts';
import { CollectionsField } from './collections-field.tsx';

export function SettingsDialog({ session }: { readonly session: ChatSession }) {
  const models = useModels();
  const { title, system, model, options, format, think } = session.document.value;
  const thinks = models.find(model)?.capabilities.includes('thinking') ?? false;
  return (
    <Dialog title={t('Chat settings')} onClose={closeDialog} class="settings">
      <label>
        {t('Title')}
        <input
          value={title}
          maxLength={200}
          onChange={(event) => session.configure({ title: event.currentTarget.value })}
        />
      </label>
      <label>
        {t('System prompt')}
        <textarea
          rows={4}
          placeholder={t('Instructions for the model')}
          defaultValue={system}
          onChange={(event) => session.configure({ system: event.currentTarget.value })}
        />
      </label>
      {thinks ? <ThinkField session={session} /> : null}
      <fieldset>
        <legend>{t('Options')}</legend>
        <div class="option-grid">
          {optionInputs.map(({ name, label, help, ...limits }) => (
            <label key={name} title={t(help)}>
              {t(label)}
              <input
                type="number"
                inputMode="decimal"
                placeholder={t('default')}
                value={typeof options[name] === 'number' ? options[name] : ''}
                {...limits}
                onChange={(event) =>
                  session.configure({ options: withOption(options, name, event.currentTarget.value) })
                }
              />
            </label>
          ))}
        </div>
      </fieldset>
      <CollectionsField session={session} />
      <FormatField session={session} />
      <PresetForm settings={{ model, system, options, format: format ?? undefined, think }} />
      <ExportButtons session={session} />
    </Dialog>
  );
}

/** One chat as a file. A Markdown file has the branch that is shown, a JSON file all of them, for an import. */
function ExportButtons({ session }: { readonly session: ChatSession }) {
  const { title, messages } = session.document.value;
  if (messages.length === 0) return null;
  const save = (ending: 'md' | 'json', text: string): void => {
    const type = ending === 'md' ? 'text/markdown' : 'application/json';
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([text], { type }));
    link.download = fileNameOf(title, ending);
    link.click();
    URL.revokeObjectURL(link.href);
  };
  const saveMarkdown = (): void => save('md', toMarkdown(session.document.peek(), session.path.peek()));
  const saveJson = (): void => save('json', JSON.stringify({ version: 1, chats: [session.document.peek()] }, null, 2));
  return (
    <footer>
      <button type="button" class="button" onClick={saveMarkdown}>
        {t('Export as Markdown')}
      </button>
      <button type="button" class="button" onClick={saveJson}>
        {t('Export as JSON')}
      </button>
    </footer>
  );
}

const thinkChoices = { model: undefined, on: true, off: false } as const;

function ThinkField({ session }: { readonly session: ChatSession }) {
  const { think } = session.document.value;
  return (
    <label>
      {t('Thinking')}
      <select
        value={think === undefined ? 'model' : think ? 'on' : 'off'}
        onChange={(event) =>
          session.configure({ think: thinkChoices[event.currentTarget.value as keyof typeof thinkChoices] })
        }
      >
        <option value="model">{t('Model default')}</option>
        <option value="on">{t('Think before answering')}</option>
        <option value="off">{t('Answer at once')}</option>
      </select>
    </label>
  );
}

function FormatField({ session }: { readonly session: ChatSession }) {
  const [problem, setProblem] = useState('');
  return (
    <label>
      {t('Answer format')}
      <textarea
        rows={4}
        class="monospace"
        spellcheck={false}
        placeholder={t('Empty, json, or a JSON schema such as {example}', { example: '{"type": "object", …}' })}
        defaultValue={formatToText(session.document.value.format)}
        aria-invalid={problem !== ''}
        onChange={(event) => {
          const result = parseFormat(event.currentTarget.value);
          setProblem('problem' in result ? result.problem : '');
          if ('format' in result) session.configure({ format: result.format });
        }}
      />
      {problem === '' ? null : (
        <span class="problem" role="alert">
          {problem}
        </span>
      )}
    </label>
  );
}
