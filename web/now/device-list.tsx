// The processors of the machine and their memory.

import type { DevicesResponseBody } from '../../src/server/dialects/hearth/status/devices-schema.ts';
import { plural, t } from '../language/language.ts';
import { formatSize } from '../ui/format.ts';
import { MeterBar } from './meter.tsx';

type Device = DevicesResponseBody['devices'][number];

export function DeviceList({ devices }: { readonly devices: readonly Device[] }) {
  if (devices.length === 0) return null;
  return (
    <section aria-labelledby="devices-title">
      <h2 id="devices-title">{t('Devices')}</h2>
      <div class="cards">
        {devices.map((device, index) => (
          <DeviceCard key={index} device={device} />
        ))}
      </div>
    </section>
  );
}

function DeviceCard({ device }: { readonly device: Device }) {
  const { kind, name, total, free, cores, driver, backend, next_step: nextStep } = device;
  const facts = [
    cores === undefined ? '' : plural(cores, '{count} core', '{count} cores'),
    driver === undefined ? '' : t('driver {version}', { version: driver }),
    backend === undefined ? t('not used') : t('backend {name}', { name: backend }),
  ].filter((fact) => fact !== '');
  const used = t('{used} of {total} in use', { used: formatSize(total - free), total: formatSize(total) });
  return (
    <article class="card">
      <h3>
        {name} <span class="quiet">{kind.toUpperCase()}</span>
      </h3>
      <p class="quiet">{facts.join(' · ')}</p>
      {total === 0 ? null : (
        <>
          <MeterBar label={t('Memory: {used}', { used })} share={(total - free) / total} />
          <p class="quiet">{used}</p>
        </>
      )}
      {nextStep === undefined ? null : <p>{nextStep}</p>}
    </article>
  );
}
