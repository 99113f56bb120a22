// The list of models. On a phone each row is a card.

import type { Label } from '../language/catalogue.ts';
import { t } from '../language/language.ts';
import { formatAgo, formatSize, shownName } from '../ui/format.ts';
import { toHash } from '../ui/router.ts';
import { modelStates, StateDot } from '../ui/state-dot.tsx';
import { ModelActions } from './model-actions.tsx';
import { type ModelRow, nextOrder, type SortKey, type SortOrder } from './sort-models.ts';

interface ModelTableProps {
  readonly models: readonly ModelRow[];
  readonly order: SortOrder;
  readonly onOrder: (order: SortOrder) => void;
}

const columns: readonly (readonly [SortKey, Label])[] = [
  ['name', 'Model'],
  ['quantization', 'Quantization'],
  ['size', 'Size'],
  ['used', 'Last used'],
];

export function ModelTable({ models, order, onOrder }: ModelTableProps) {
  return (
    <table class="models">
      <thead>
        <tr>
          {columns.map(([key, title]) => (
            <th key={key} scope="col" aria-sort={sortOf(order, key)}>
              <button type="button" onClick={() => onOrder(nextOrder(order, key))}>
                {t(title)}
              </button>
            </th>
          ))}
          <td />
        </tr>
      </thead>
      <tbody>
        {models.map((model) => (
          <TableRow key={model.name} model={model} />
        ))}
      </tbody>
    </table>
  );
}

function sortOf(order: SortOrder, key: SortKey): 'ascending' | 'descending' | 'none' {
  if (order.key !== key) return 'none';
  return order.descending ? 'descending' : 'ascending';
}

function TableRow({ model }: { readonly model: ModelRow }) {
  const { name, sizeBytes, parameterSize, quantization, capabilities, state, lastUsed } = model;
  return (
    <tr>
      <th scope="row">
        <span class="model-name">
          <StateDot state={state} />
          <a href={toHash({ view: 'models', id: name })}>{shownName(name)}</a>
          {state === 'unloaded' ? null : <small>{t(modelStates[state])}</small>}
        </span>
        <CapabilityList capabilities={capabilities} />
      </th>
      <td>
        {quantization} <small>{parameterSize}</small>
      </td>
      <td>{formatSize(sizeBytes)}</td>
      <td title={lastUsed}>
        {state === 'busy' ? t('now') : lastUsed === undefined ? '–' : formatAgo(lastUsed, Date.now())}
      </td>
      <td class="model-actions">
        <ModelActions model={model} />
      </td>
    </tr>
  );
}

/** What a model can do. */
export function CapabilityList({ capabilities }: { readonly capabilities: readonly string[] }) {
  return capabilities.length === 0 ? null : (
    <ul class="capabilities" aria-label={t('Capabilities')}>
      {capabilities.map((capability) => (
        <li key={capability}>{capability}</li>
      ))}
    </ul>
  );
}
