// Everything that the server knows about one model.

import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { ShowResponseBody } from '../../src/server/dialects/ollama/models/show-schema.ts';
import { type ModelEntry, useModels } from '../api/models.ts';
import { errorText } from '../api/request.ts';
import { mayManage } from '../api/session.ts';
import { plural, t } from '../language/language.ts';
import { CodeBlock } from '../markdown/code-block.tsx';
import { formatSize } from '../ui/format.ts';
import { Icon } from '../ui/icon.tsx';
import { Problem } from '../ui/problem.tsx';
import { navigate, toHash } from '../ui/router.ts';
import { modelStates, StateDot } from '../ui/state-dot.tsx';
import { ModelActions } from './model-actions.tsx';
import { CapabilityList } from './model-table.tsx';
import { type DetailRow, metadataRows, parameterRows } from './modelfile.ts';

/** Another name needs another element, with a key. */
export function ModelDetailsView({ name }: { readonly name: string }) {
  const models = useModels();
  const [shown, setShown] = useState<ShowResponseBody | undefined>(undefined);
  const [problem, setProblem] = useState('');
  useEffect(() => {
    models.show(name).then(setShown, (error) => setProblem(errorText(error)));
  }, []);
  const entry = models.find(name);
  return (
    <section class="view" aria-label={t('Model {name}', { name })}>
      <a class="back" href={toHash({ view: 'models', id: '' })}>
        <Icon name="left" />
        {t('Models')}
      </a>
      <header class="view-header">
        <h1>{name}</h1>
        {entry === undefined ? null : (
          <span class="model-actions">
            <ModelActions model={entry} onDeleted={() => navigate({ view: 'models', id: '' })} />
          </span>
        )}
      </header>
      <Problem text={problem} />
      {entry === undefined ? null : <Facts entry={entry} />}
      {shown === undefined ? null : <Parts name={name} shown={shown} />}
    </section>
  );
}

function Facts({ entry }: { readonly entry: ModelEntry }) {
  const { sizeBytes, parameterSize, quantization, contextLength, capabilities, state } = entry;
  const facts: readonly (readonly [string, ComponentChildren])[] = [
    [t('State'), [<StateDot key="dot" state={state} />, ` ${t(modelStates[state])}`]],
    [t('Size'), formatSize(sizeBytes)],
    [t('Parameters'), parameterSize],
    [t('Quantization'), quantization],
    [t('Context'), contextLength === undefined ? '–' : plural(contextLength, '{count} token', '{count} tokens')],
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
        <Part title={t('System prompt')} open>
          <p class="plain">{system}</p>
        </Part>
      )}
      {parameters === undefined ? null : (
        <Part title={t('Parameters')} open>
          <RowTable rows={parameterRows(parameters)} />
        </Part>
      )}
      {template === '' ? null : (
        <Part title={t('Template')}>
          <CodeBlock code={template} language="template" growing={false} />
        </Part>
      )}
      <Part title={t('Modelfile')}>
        <CodeBlock code={modelfile} language="modelfile" growing={false} />
        {mayManage.value ? (
          <a class="button" href={toHash({ view: 'create', id: name })}>
            <Icon name="edit" />
            {t('Create a model from it')}
          </a>
        ) : null}
      </Part>
      {license === undefined ? null : (
        <Part title={t('License')}>
          <p class="plain">{license}</p>
        </Part>
      )}
      <Part title={t('Metadata')}>
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

function RowTable({ rows }: { readonly rows: readonly DetailRow[] }) {
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
