// The content of an answer around its calls. White space next to a call is removed. If there is text on both sides of a
// call, the white space before the call, or else the one after it, is kept between them.

export interface Prose {
  write(text: string): void;
  /** Marks the position of a call. */
  call(): void;
  /** Text that can be sent now. White space waits for the text after it. */
  take(): string;
  /** Ends the answer. White space at the end is content, unless it follows a call. */
  finish(): string;
}

export function createProse(): Prose {
  let ready = '';
  let blank = '';
  let gap = '';
  let afterCall = false;
  let hasText = false;

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
        ready += (hasText ? before : '') + start;
      } else {
        ready += blank + body;
      }
      blank = text.slice(body.length);
      gap = '';
      afterCall = false;
      hasText = true;
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
