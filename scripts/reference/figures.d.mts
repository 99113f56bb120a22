type Sections = Readonly<Record<string, Readonly<Record<string, string>>>>;
type Load = {
  readonly answers: number;
  readonly tokens: number;
  readonly requests: number;
  readonly promptTokens: number;
  readonly prompts: { readonly affinity: number; readonly roundRobin: number };
};

export function readFigures(sections: Sections, log: string): Map<string, string>;
export function deriveFigures(figures: Map<string, string>, arithmetic: Load): Map<string, string>;
export function writeFigures(text: string, figures: ReadonlyMap<string, string>): string;
export function computeLoad(users: number, scalePage: string): Load;
export function loadTable(scalePage: string): string;
