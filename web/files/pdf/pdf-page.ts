// What the page and the worker that draws pages of PDF files tell each other.

export interface PageToDraw {
  readonly bytes: ArrayBuffer;
  /** From 1. */
  readonly page: number;
  /** The most pixels of the picture in a row. */
  readonly width: number;
  /** The text that is marked. */
  readonly passage: string;
}

/** A line of the passage, in shares of the width and height of the page. */
export interface PassageLine {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

export type DrawnPage =
  | { readonly picture: ImageBitmap; readonly lines: readonly PassageLine[] }
  | { readonly problem: string };
