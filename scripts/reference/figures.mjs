// Figures in documents come from docs/figures.json, which has them by the sections of docs/perf-log.md. A document has
// `<!--=NAME-->TEXT<!--/-->`, and the text is written from there; `NAME:2` has two decimals. Some are computed.

const marker = /<!--=([\w.]+)(?::(\d))?-->(.*?)<!--\/-->/g;

/** Name → text. Fails on a figure that its section of the log does not have. */
export function readFigures(sections, log) {
  const figures = new Map();
  for (const [heading, entries] of Object.entries(sections)) {
    const section = log.split(/^## /m).find((text) => text.startsWith(`${heading}\n`));
    if (section === undefined) throw new Error(`docs/figures.json: docs/perf-log.md has no section "${heading}"`);
    for (const [name, text] of Object.entries(entries)) {
      if (figures.has(name)) throw new Error(`docs/figures.json: ${name} is there twice`);
      const pattern = new RegExp(`(?<![\\d.,])${text.replaceAll('.', '\\.')}(?![\\d]|[.,]\\d)`);
      if (!pattern.test(section))
        throw new Error(`docs/figures.json: ${name} is ${text}, which "${heading}" does not have`);
      figures.set(name, text);
    }
  }
  return figures;
}

export const toNumber = (text) => Number.parseFloat(text.replaceAll(',', ''));

const formatNumber = (number) => number.toLocaleString('en-US', { maximumFractionDigits: 0 });

/** Rounded down: no figure looks better than it is. */
const withDecimals = (text, digits) => {
  const factor = 10 ** Number(digits);
  return (Math.floor(toNumber(text) * factor + 1e-9) / factor).toFixed(Number(digits));
};

/** The figures that follow from others: the range of all ratios to a bare loop, and the GPUs of docs/scale.md. */
export function deriveFigures(figures, arithmetic) {
  const ratios = [...figures].filter(([name]) => /^\w+\.ratio\.\d+$/.test(name)).map(([, text]) => toNumber(text));
  const perGpu = (name, amount) => formatNumber(Math.ceil(amount / toNumber(figures.get(name))));
  return new Map([
    ...figures,
    ['ratio.low', String(Math.min(...ratios))],
    ['ratio.high', String(Math.max(...ratios))],
    ['gpus.tokens', perGpu('h200.32', arithmetic.tokens)],
    ['gpus.prompts', perGpu('h200.prompt', arithmetic.prompts.affinity)],
    ['gpus.promptsRoundRobin', perGpu('h200.prompt', arithmetic.prompts.roundRobin)],
  ]);
}

/** The document with all of its figures as they are now. */
export function writeFigures(text, figures) {
  return text.replace(marker, (_match, name, digits) => {
    const figure = figures.get(name);
    if (figure === undefined) throw new Error(`docs/figures.json has no ${name}`);
    const label = digits === undefined ? name : `${name}:${digits}`;
    return `<!--=${label}-->${digits === undefined ? figure : withDecimals(figure, digits)}<!--/-->`;
  });
}

const secondsPerRequest = 40;
const answerSeconds = 10;
const tokensPerSecond = 30;
const promptTokens = 2_000;

/** What users need, and the part of the prompts that no cache has: from the table of the simulation in docs/scale.md. */
export function computeLoad(users, scalePage) {
  const answers = (users * answerSeconds) / secondsPerRequest;
  const requests = users / secondsPerRequest;
  const evaluated = (choice) => {
    const rate = new RegExp(`^\\| ${choice} \\| ([\\d.]+) % \\|`, 'm').exec(scalePage)?.[1];
    if (rate === undefined) throw new Error(`docs/scale.md: the simulation has no "${choice}"`);
    return requests * promptTokens * (1 - Number(rate) / 100);
  };
  return {
    answers,
    tokens: answers * tokensPerSecond,
    requests,
    promptTokens: requests * promptTokens,
    prompts: { affinity: evaluated('prefix affinity'), roundRobin: evaluated('round robin') },
  };
}

/** The table of docs/scale.md. One engine has no choice. */
export function loadTable(scalePage) {
  const rows = [1, 10, 100, 1_000, 10_000].map((users) => {
    const { answers, tokens, requests, promptTokens: prompts, prompts: evaluated } = computeLoad(users, scalePage);
    const choices = users < 1_000 ? ['–', '–'] : [evaluated.affinity, evaluated.roundRobin].map(hundreds);
    const cells = [users, Math.ceil(answers), Math.max(tokens, tokensPerSecond)].map(formatNumber);
    const rate = requests < 1 ? requests.toFixed(2) : String(requests);
    return `| ${[...cells, rate, formatNumber(prompts), ...choices].join(' | ')} |\n`;
  });
  return `| users | answers at the same time | tokens/s | requests/s | prompt tokens/s | of them evaluated, affinity | round robin |
|---|---|---|---|---|---|---|
${rows.join('')}`;
}

const hundreds = (number) => formatNumber(Math.round(number / 100) * 100);
