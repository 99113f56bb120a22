// Everything that the server knows about one model.

import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import type { ShowResponseBody } from '../../src/server/dialects/ollama/models/show-schema.ts';
import { messageOf } from '../api/api-error.ts';
import { showModel } from '../api/manage-models.ts';
import { findModel, type ModelEntry } from '../api/models.ts';
import { mayManage } from '../api/session.ts';
import { CodeBlock } from '../markdown/code-block.tsx';
import { formatBytes } from '../ui/format-bytes.ts';
import { Icon } from '../ui/icon.tsx';
import { navigate, toHash } from '../ui/router.ts';
import { modelStates, StateDot } from '../ui/state-dot.tsx';
import { CapabilityList } from './capability-list.tsx';
import { metadataRows, parameterRows, type Row } from './detail-rows.ts';
import { ModelActions } from './model-actions.tsx';

export function ModelDetails({ name }: { readonly name: string }) {
  const shown = useSignal<ShowResponseBody | undefined>(undefined);
  const problem = useSignal('');
  useEffect(() => {
    let isCurrent = true;
    showModel(name).then(
      (response) => {
        if (isCurrent) shown.value = response;
      },
      (error) => {
        if (isCurrent) problem.value = messageOf(error);
      },
    );
    return () => {
      isCurrent = false;
    };
  }, [name]);
  const entry = findModel(name);
  return (
    <section class="view" aria-label={`Model ${name}`}>
      <a class="back" href={toHash({ view: 'models', id: '' })}>
        <Icon name="left" />
        Models
      </a>
      <header class="view-header">
        <h1>{name}</h1>
        {entry === undefined ? null : (
          <span class="model-actions">
            <ModelActions model={entry} onDeleted={() => navigate({ view: 'models', id: '' })} />
          </span>
        )}
      </header>
      {problem.value === '' ? null : (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      {entry === undefined ? null : <Facts entry={entry} />}
      {shown.value === undefined ? null : <Parts name={name} shown={shown.value} />}
    </section>
  );
}

function Facts({ entry }: { readonly entry: ModelEntry }) {
  const { size, parameterSize, quantization, contextLength, capabilities, state } = entry;
  const facts: readonly (readonly [string, ComponentChildren])[] = [
    ['State', [<StateDot key="dot" state={state} />, ` ${modelStates[state]}`]],
    ['Size', formatBytes(size)],
    ['Parameters', parameterSize],
    ['Quantization', quantization],
    ['Context', contextLength === undefined ? '–' : `${contextLength.toLocaleString('en')} tokens`],
  ];
  return (
    <>
      <dl class="facts">
        {facts.map(([title, value]) => (
          <div key={title}>
            <dt>{title}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <CapabilityList capabilities={capabilities} />
    </>
  );
}

function Parts({ name, shown }: { readonly name: string; readonly shown: ShowResponseBody }) {
  const { template, system, parameters, license, model_info: metadata, modelfile } = shown;
  return (
    <>
      {system === undefined ? null : (
        <Part title="System prompt" open>
          <p class="plain">{system}</p>
        </Part>
      )}
      {parameters === undefined ? null : (
        <Part title="Parameters" open>
          <RowTable rows={parameterRows(parameters)} />
        </Part>
      )}
      {template === '' ? null : (
        <Part title="Template">
          <CodeBlock code={template} language="template" growing={false} />
        </Part>
      )}
      <Part title="Modelfile">
        <CodeBlock code={modelfile} language="modelfile" growing={false} />
        {mayManage.value ? (
          <a class="button" href={toHash({ view: 'create', id: name })}>
            <Icon name="edit" />
            Create a model from it
          </a>
        ) : null}
      </Part>
      {license === undefined ? null : (
        <Part title="License">
          <p class="plain">{license}</p>
        </Part>
      )}
      <Part title="Metadata">
        <RowTable rows={metadataRows(metadata)} />
      </Part>
    </>
  );
}

interface PartProps {
  readonly title: string;
  readonly children: ComponentChildren;
  readonly open?: boolean;
}

function Part({ title, children, open = false }: PartProps) {
  return (
    <details class="part" open={open}>
      <summary>
        <h2>{title}</h2>
      </summary>
      {children}
    </details>
  );
}

function RowTable({ rows }: { readonly rows: readonly Row[] }) {
  return (
    <table class="rows">
      <tbody>
        {rows.map(([title, value], index) => (
          <tr key={index}>
            <th scope="row">{title}</th>
            <td>{value}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
