import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { connectionsWithin, limitConnections } from './limit-connections.ts';

test('a quarter of the open files is kept for other things, within bounds', () => {
  expect([100, 160, 1024, 65_536].map(connectionsWithin)).toEqual([36, 96, 768, 64_512]);
  expect(connectionsWithin(40)).toBe(1);
  expect(connectionsWithin(undefined)).toBe(Number.POSITIVE_INFINITY);
});

test('connections beyond the limit of an address are closed, and room is free again after the end of one', async () => {
  const server = createServer();
  let refused = 0;
  limitConnections(server, {
    total: 10,
    perAddress: 2,
    onRefuse() {
      refused++;
    },
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const sockets: Socket[] = [];
  const open = async (): Promise<Socket> => {
    const socket = connect(port, '127.0.0.1').on('error', () => {});
    sockets.push(socket);
    await once(socket, 'connect');
    return socket;
  };
  try {
    const first = await open();
    await open();
    await once((await open()).resume(), 'close');
    expect(refused).toBe(1);
    first.destroy();
    await expect.poll(() => connectionsOf(server)).toBe(1);
    await open();
    await expect.poll(() => connectionsOf(server)).toBe(2);
    expect(refused).toBe(1);
  } finally {
    for (const socket of sockets) socket.destroy();
    server.close();
  }
});

function connectionsOf(server: ReturnType<typeof createServer>): Promise<number> {
  return new Promise((resolve) => server.getConnections((_, count) => resolve(count)));
}
