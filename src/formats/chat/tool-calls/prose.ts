// The content of an answer around its calls. White space next to a call is removed. If there is text on both sides of a
// call, the white space before the call, or else the one after it, is kept between them.

export function createProse() {
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
    /** Text that can be sent now. White space waits for the text after it. */
    take,
    write(text: string): void {
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
    /** Marks the position of a call. */
    call(): void {
      gap ||= blank;
      blank = '';
      afterCall = true;
    },
    /** Ends the answer. White space at the end is content, unless it follows a call. */
    finish(): string {
      if (!afterCall) ready += blank;
      return take();
    },
  };
}
