// Reads a file whose size is known and small. `readFile` asks for the size again, and once more for the end; with a
// thousand files that is noticeable.

import { open } from 'node:fs/promises';

export async function readSmallFile(path: string, size: number): Promise<Buffer> {
  const file = await open(path, 'r');
  try {
    const content = Buffer.allocUnsafeSlow(size);
    let filled = 0;
    while (filled < size) {
      const { bytesRead } = await file.read(content, filled);
      // It became shorter meanwhile. Whoever reads what is there will see that it is not whole.
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    return content.subarray(0, filled);
  } finally {
    await file.close();
  }
}
