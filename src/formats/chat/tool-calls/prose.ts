// The content of an answer around its calls. White space beside a call vanishes, but where prose stands on both sides of
// a call, the pieces stay apart: by what stood before the call, or else by what came after it.

export interface Prose {
  write(text: string): void;
  /** A call stood here. */
  call(): void;
  /** What can be sent now: white space waits for what comes after it. */
  take(): string;
  /** The answer is over: white space at the end is content too, unless a call stands before it. */
  finish(): string;
}

export function createProse(): Prose {
  let ready = '';
  let blank = '';
  let gap = '';
  let afterCall = false;
  let spoken = false;

  const take = (): string => {
    const text = ready;
    ready = '';
    return text;
  };

  return {
    take,
    write(text) {
      const body = text.trimEnd();
      if (body === '') {
        blank += text;
        return;
      }
      if (afterCall) {
        const start = body.trimStart();
        const before = gap || blank + body.slice(0, body.length - start.length);
        ready += (spoken ? before : '') + start;
      } else {
        ready += blank + body;
      }
      blank = text.slice(body.length);
      gap = '';
      afterCall = false;
      spoken = true;
    },
    call() {
      gap ||= blank;
      blank = '';
      afterCall = true;
    },
    finish() {
      if (!afterCall) ready += blank;
      return take();
    },
  };
}
