// Splits a stream of bytes into lines. A line or a character may span several chunks.

// Characters. The longest line is the last one of an answer.
const maxLine = 16 * 2 ** 20;

export async function* readLines(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let pending = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      pending += done ? decoder.decode() : decoder.decode(value, { stream: true });
      const lines = pending.split('\n');
      pending = done ? '' : (lines.pop() ?? '');
      yield* lines.filter((line) => line.trim() !== '');
      if (done) return;
      if (pending.length > maxLine) throw new Error(`the server sent a line of more than ${maxLine} characters`);
    }
  } finally {
    // The reader of a stream that ended has nothing to cancel. One that is left early must stop the server.
    await reader.cancel().catch(() => {});
  }
}
