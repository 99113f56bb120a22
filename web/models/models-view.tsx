// The models of the server: a list, or one of them in detail.

import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { lastUse, refreshLastUse } from '../api/last-use.ts';
import { models, refreshModels } from '../api/models.ts';
import { mayManage } from '../api/session.ts';
import { Icon } from '../ui/icon.tsx';
import { toHash } from '../ui/router.ts';
import { ModelDetails } from './model-details.tsx';
import { ModelTable } from './model-table.tsx';
import { PullSection } from './pull-section.tsx';
import { filterModels, type ListedModel, type SortOrder, sortModels } from './sort-models.ts';

export function ModelsView({ id }: { readonly id: string }) {
  return id === '' ? <ModelList /> : <ModelDetails key={id} name={id} />;
}

function ModelList() {
  const query = useSignal('');
  const capability = useSignal('');
  const order = useSignal<SortOrder>({ key: 'used', descending: true });
  const count = models.value?.length;
  useEffect(() => {
    refreshModels().catch(() => {});
  }, []);
  useEffect(() => {
    // Without it, the column is empty.
    refreshLastUse().catch(() => {});
  }, [count]);
  const listed = (models.value ?? []).map((model) => withLastUse(model, lastUse.value));
  const capabilities = [...new Set(listed.flatMap((model) => model.capabilities))].toSorted();
  const shown = sortModels(filterModels(listed, { query: query.value, capability: capability.value }), order.value);
  return (
    <section class="view" aria-label="Models">
      <header class="view-header">
        <h1>Models</h1>
        {mayManage.value ? (
          <a class="button" href={toHash({ view: 'create', id: '' })}>
            <Icon name="plus" />
            Create
          </a>
        ) : null}
      </header>
      {mayManage.value ? <PullSection /> : null}
      <div class="filters">
        <input
          type="search"
          aria-label="Filter models"
          placeholder="Filter by name or quantization"
          value={query}
          onInput={(event) => {
            query.value = event.currentTarget.value;
          }}
        />
        <select
          aria-label="Capability"
          value={capability}
          onChange={(event) => {
            capability.value = event.currentTarget.value;
          }}
        >
          <option value="">Any capability</option>
          {capabilities.map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      </div>
      {shown.length > 0 ? (
        <ModelTable
          models={shown}
          order={order.value}
          onOrder={(next) => {
            order.value = next;
          }}
        />
      ) : (
        <p class="quiet">
          {listed.length === 0 ? 'There are no models yet. Pull one by its name.' : 'No model matches.'}
        </p>
      )}
    </section>
  );
}

function withLastUse(model: Omit<ListedModel, 'lastUsed'>, times: ReadonlyMap<string, string>): ListedModel {
  const lastUsed = times.get(model.name);
  return lastUsed === undefined ? model : { ...model, lastUsed };
}
