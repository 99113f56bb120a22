// The model of the conversation, and the list to choose another.

import { useSignal } from '@preact/signals';
import { chatModels, findModel, type ModelEntry, models } from '../api/models.ts';
import { Chooser } from '../shell/chooser.tsx';
import { formatBytes } from '../shell/format-bytes.ts';
import type { ChatSession } from './chat-session.ts';

const states: Readonly<Record<ModelEntry['state'], string>> = {
  unloaded: 'not loaded',
  loading: 'loading',
  idle: 'loaded',
  busy: 'answering',
  draining: 'unloading',
};

/** What users ask for; the others are common to all models in the list. */
const shownCapabilities = ['vision', 'tools', 'thinking'];

export function ModelPicker({ session }: { readonly session: ChatSession }) {
  const isOpen = useSignal(false);
  const query = useSignal('');
  const { model } = session.document.value;
  const state = findModel(model)?.state ?? 'unloaded';
  const close = (): void => {
    isOpen.value = false;
    query.value = '';
  };
  const found = chatModels.value.filter(({ name }) => name.toLowerCase().includes(query.value.trim().toLowerCase()));
  return (
    <>
      <button
        type="button"
        class="model-picker"
        aria-haspopup="dialog"
        aria-label={model === '' ? 'Choose a model' : `Model ${model}, ${states[state]}. Choose another model`}
        onClick={() => {
          isOpen.value = true;
        }}
      >
        <StateDot state={state} />
        <span>{model === '' ? 'Choose a model' : model.replace(/:latest$/, '')}</span>
      </button>
      {isOpen.value ? (
        <Chooser
          title="Choose a model"
          placeholder="Search models"
          query={query.value}
          choices={found.map((entry) => ({
            id: entry.name,
            isCurrent: entry.name === model,
            content: <ModelLine entry={entry} />,
          }))}
          empty={
            models.value?.length === 0 ? 'There are no models yet: hearth pull NAME gets one.' : 'No model matches.'
          }
          onQuery={(text) => {
            query.value = text;
          }}
          onChoose={(name) => {
            session.configure({ model: name });
            close();
          }}
          onClose={close}
        />
      ) : null}
    </>
  );
}

function ModelLine({ entry }: { readonly entry: ModelEntry }) {
  const { name, size, parameterSize, quantization, capabilities, state } = entry;
  const abilities = capabilities.filter((capability) => shownCapabilities.includes(capability));
  const facts = [parameterSize, quantization, formatBytes(size), ...abilities].filter((fact) => fact !== '');
  return (
    <>
      <span class="choice-title">
        <StateDot state={state} />
        {name.replace(/:latest$/, '')}
        <small>{states[state]}</small>
      </span>
      <small>{facts.join(' · ')}</small>
    </>
  );
}

function StateDot({ state }: Pick<ModelEntry, 'state'>) {
  return <span class={`dot ${state}`} title={states[state]} />;
}
