// The model of the conversation, and the list to choose another.

import { useState } from 'preact/hooks';
import { type ModelEntry, useModels } from '../../api/models.ts';
import { t } from '../../language/language.ts';
import { Chooser } from '../../ui/chooser.tsx';
import { formatSize, shownName } from '../../ui/format.ts';
import { toHash } from '../../ui/router.ts';
import { modelStates, StateDot } from '../../ui/state-dot.tsx';
import type { ChatSession } from '../session/chat-session.ts';

/** What users ask for; the others are common to all models in the list. */
const shownCapabilities = ['vision', 'tools', 'thinking'];

export function ModelPicker({ session }: { readonly session: ChatSession }) {
  const models = useModels();
  const [isOpen, setOpen] = useState(false);
  const { model } = session.document.value;
  const state = models.find(model)?.state ?? 'unloaded';
  const open = (): void => {
    setOpen(true);
    models.refresh().catch(() => {});
  };
  return (
    <>
      <button
        type="button"
        class="model-picker"
        aria-haspopup="dialog"
        aria-label={
          model === ''
            ? t('Choose a model')
            : t('Model {model}, {state}. Choose another model', { model, state: t(modelStates[state]) })
        }
        onClick={open}
      >
        <StateDot state={state} />
        <span>{model === '' ? t('Choose a model') : shownName(model)}</span>
      </button>
      {isOpen ? <ModelChooser session={session} onClose={() => setOpen(false)} /> : null}
    </>
  );
}

function ModelChooser({ session, onClose }: { readonly session: ChatSession; readonly onClose: () => void }) {
  const models = useModels();
  const [query, setQuery] = useState('');
  const found = findModels(models.forChat.value, query);
  const hasNone = models.entries.value?.length === 0;
  return (
    <Chooser
      title={t('Choose a model')}
      placeholder={t('Search models')}
      query={query}
      choices={found.map((entry) => ({
        id: entry.name,
        isCurrent: entry.name === session.document.value.model,
        content: <ModelLine entry={entry} />,
      }))}
      empty={
        hasNone ? (
          <a href={toHash({ view: 'models', id: '' })}>{t('There are no models yet. Get one.')}</a>
        ) : (
          t('No model matches.')
        )
      }
      onQuery={setQuery}
      onChoose={(model) => {
        session.configure({ model });
        onClose();
      }}
      onClose={onClose}
    />
  );
}

/** The model with exactly this name comes first, then names that begin with the text. */
export function findModels<Model extends Pick<ModelEntry, 'name'>>(models: readonly Model[], query: string): Model[] {
  const text = query.trim().toLowerCase();
  const rank = ({ name }: Model): number => {
    const known = name.toLowerCase();
    if (known === text || shownName(known) === text) return 0;
    return known.startsWith(text) ? 1 : 2;
  };
  return models.filter(({ name }) => name.toLowerCase().includes(text)).sort((a, b) => rank(a) - rank(b));
}

function ModelLine({ entry }: { readonly entry: ModelEntry }) {
  const { name, sizeBytes, parameterSize, quantization, capabilities, state } = entry;
  const abilities = capabilities.filter((capability) => shownCapabilities.includes(capability));
  const facts = [parameterSize, quantization, formatSize(sizeBytes), ...abilities].filter((fact) => fact !== '');
  return (
    <>
      <span class="choice-title">
        <StateDot state={state} />
        {shownName(name)}
        <small>{t(modelStates[state])}</small>
      </span>
      <small>{facts.join(' · ')}</small>
    </>
  );
}
