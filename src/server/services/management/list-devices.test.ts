import { expect, test } from 'vitest';
import { createFakeClock } from '../../../../test/support/fake-clock.ts';
import { createListDevices, type MachineDescription } from './list-devices.ts';

const description: MachineDescription = { engine: 'e', devices: [], backends: [] };

test('callers at the same time share one answer, later ones get a new one', async () => {
  const clock = createFakeClock();
  let asked = 0;
  const listDevices = createListDevices({
    async describe() {
      asked++;
      return description;
    },
    clock,
  });
  await Promise.all([listDevices(), listDevices()]);
  await listDevices();
  expect(asked).toBe(1);
  clock.advance(5000);
  expect(await listDevices()).toBe(description);
  expect(asked).toBe(2);
});

test('a failure is not kept', async () => {
  let asked = 0;
  const listDevices = createListDevices({
    async describe() {
      asked++;
      if (asked === 1) throw new Error('broken');
      return description;
    },
    clock: createFakeClock(),
  });
  await expect(listDevices()).rejects.toThrow('broken');
  expect(await listDevices()).toBe(description);
});
