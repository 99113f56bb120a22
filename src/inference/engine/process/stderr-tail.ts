// The last output of a child process on standard error, where llama.cpp reports the cause of a failure.

const maxTail = 16 * 1024;
// Lines that name a cause are preferred to lines that only report a failure.
const causes = /\berror\b|assert|abort|terminate called|out of memory|exception/i;
const complaints = /failed|not supported|unsupported|unknown|invalid/i;
// After an assertion, llama.cpp prints the stack. Its frames contain words like "abort".
const stackFrame = /\[0x[\da-f]+\]$/;
// llama.cpp reports that passes can be stopped, and a pass that was (ADR 49). Status 1 is "aborted".
const stoppedPass = /^set_abort_callback:|compute status: 1$|with error 1$|ret = 2$/;

export function createStderrTail(onLine: (line: string) => void = () => {}) {
  let tail = '';
  let partial = '';

  return {
    feed(chunk: string): void {
      tail = (tail + chunk).slice(-maxTail);
      const lines = (partial + chunk).split('\n');
      partial = (lines.pop() ?? '').slice(-maxTail);
      for (const line of lines) onLine(line);
    },
    /** The line that most likely names the cause of a failure. */
    lastError(): string | undefined {
      const lines = linesOf(tail).filter((line) => !stackFrame.test(line) && !stoppedPass.test(line));
      return lines.findLast((line) => causes.test(line)) ?? lines.findLast((line) => complaints.test(line));
    },
    /** The last line that the predicate accepts. */
    findLast: (accepts: (line: string) => boolean): string | undefined => linesOf(tail).findLast(accepts),
    /** Drops the output so far, so that it is not taken for the cause of a later failure. */
    clear(): void {
      tail = '';
    },
  };
}

function linesOf(text: string): string[] {
  return text.split('\n').map((line) => line.trim());
}
