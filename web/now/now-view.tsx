// What the server does now: speed, models in memory, requests, devices; for operators also keys and the request log.

import { useEffect, useMemo } from 'preact/hooks';
import { isAdmin } from '../api/session.ts';
import { t } from '../language/language.ts';
import { CacheHits, SpeedChart } from './activity-cards.tsx';
import { DeviceList } from './device-list.tsx';
import { KeyTable } from './key-table.tsx';
import { LoadedModelCard } from './model-card.tsx';
import { NowData } from './now-data.ts';
import { RequestList } from './request-list.tsx';
import { RequestLogView } from './request-log.tsx';

export function NowView() {
  const data = useMemo(() => new NowData(), []);
  useEffect(() => data.start(), [data]);
  const status = data.status.value;
  return (
    <section class="view now" aria-label={t('Now')}>
      <header class="view-header">
        <h1>{t('Now')}</h1>
      </header>
      {status === undefined ? null : (
        <>
          {isAdmin.value ? null : <p class="quiet">{t('Requests from other keys are not shown.')}</p>}
          <div class="cards">
            <SpeedChart activity={status.activity} />
            <CacheHits activity={status.activity} />
          </div>
          <h2>{t('Models in memory')}</h2>
          {status.models.length === 0 ? (
            <p class="quiet">{t('None. Models are loaded on their first request.')}</p>
          ) : null}
          <div class="cards">
            {status.models.map((model) => (
              <LoadedModelCard key={model.name} model={model} requests={status.activity.requests} />
            ))}
          </div>
          <RequestList status={status} onCancel={(id) => void data.cancel(id)} />
        </>
      )}
      <DeviceList devices={data.devices.value} />
      {data.keyUsage.value === undefined ? null : <KeyTable usage={data.keyUsage.value} />}
      {data.log.value === undefined ? null : <RequestLogView requests={data.log.value} />}
    </section>
  );
}
