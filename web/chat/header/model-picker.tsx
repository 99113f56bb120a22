// The model of the conversation, and the list to choose another.

import { useSignal } from '@preact/signals';
import { chatModels, findModel, type ModelEntry, models, refreshModels } from '../../api/models.ts';
import { Chooser } from '../../ui/chooser.tsx';
import { formatBytes } from '../../ui/format-bytes.ts';
import { modelStates, StateDot } from '../../ui/state-dot.tsx';
import type { ChatSession } from '../session/chat-session.ts';

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
        aria-label={model === '' ? 'Choose a model' : `Model ${model}, ${modelStates[state]}. Choose another model`}
        onClick={() => {
          isOpen.value = true;
          refreshModels().catch(() => {});
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
        <small>{modelStates[state]}</small>
      </span>
      <small>{facts.join(' · ')}</small>
    </>
  );
}
