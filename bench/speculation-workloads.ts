// What is generated to measure speculation: answers that quote their prompt, and answers that do not.
//
// The counting model continues every token with the next number, so the prompt decides how much of the answer it
// contains, and its speed is that of a real model. Ember's texts are those of a real model.

export interface Workload {
  readonly model: string;
  readonly what: string;
  /** The body of the request without its options. The number of the round makes the texts different. */
  readonly body: (round: number) => object;
  readonly options: Readonly<Record<string, unknown>>;
  /** The least ratio of the speeds with and without speculation. */
  readonly goal: number;
  /** Rounding decides close choices of a real model. */
  readonly sameText: boolean;
}

export const countingName = 'counting-500m';
export const rightDraft = 'counting-small';
export const wrongDraft = 'random-small';
export const headNames = {
  right: 'counting-head-right',
  wrong: 'counting-head-wrong',
  half: 'counting-head-half',
} as const;

// The answer begins with the token after the prompt and counts on.
const prompt = 'a';
const firstToken = prompt.charCodeAt(0) + 1;
const fileTokens = 2000;

/** The file that the model answers with, if every `period`-th token is another one. */
function editedFile(period: number): number[] {
  const last = firstToken + fileTokens - 1;
  return Array.from({ length: fileTokens }, (_, index) =>
    index % period === period - 1 ? last + index : firstToken + index,
  );
}

/** The tokens of the first workload. */
export const editPrompt: readonly number[] = [...editedFile(50), prompt.charCodeAt(0)];
export const editWorkload = 'edit: a file of 2,000 tokens, every 50th edited';

const counting = (what: string, context: readonly number[], goal: number, options = {}): Workload => ({
  model: countingName,
  what,
  body: () => ({ prompt, context }),
  options: { seed: 1, ...options },
  goal,
  sameText: true,
});

/** The file that the model answers with, as a text whose words are tokens. */
function predictedFile(period: number): string {
  const [first, length] = [1001, 1500];
  const numbers = Array.from({ length }, (_, index) => (index % period === period - 1 ? 4000 : first) + index);
  return numbers.map((number) => `t${number}`).join('');
}

const predicting = (what: string, content: string, goal: number): Workload => ({
  model: countingName,
  what,
  body: () => ({ prompt: 't1000', prediction: { type: 'content', content } }),
  options: { seed: 1 },
  goal,
  sameText: true,
});

/** An answer that repeats nothing. A model with a head loads it unless the option says otherwise. */
const withHead = (what: string, model: string, goal: number): Workload => ({
  model,
  what,
  body: () => ({ prompt }),
  options: { seed: 1 },
  goal,
  sameText: true,
});

const ember = (what: string, texts: readonly string[], body: object = {}): Workload => ({
  model: 'ember',
  what,
  body: (round) => ({ prompt: texts[round % texts.length], ...body }),
  options: { temperature: 0.8 },
  goal: 0.98,
  sameText: false,
});

const paragraph =
  'The keeper of the tower counts the ships. In the morning there are twelve, at noon there are nine, and in the evening there are four. ' +
  'He writes the numbers into a book. On Sunday his daughter reads the book and adds the numbers. She finds that the ships come back.\n';
const listSchema = {
  type: 'array',
  minItems: 12,
  items: {
    type: 'object',
    properties: { name: { type: 'string' }, age: { type: 'integer' }, city: { type: 'string' } },
    required: ['name', 'age', 'city'],
  },
};

export const workloads: readonly Workload[] = [
  counting(editWorkload, editedFile(50), 1.8),
  counting('edit: the same, every 26th edited', editedFile(26), 0.98),
  counting('text that repeats nothing', [], 0.98),
  predicting('a predicted file, every 100th token edited', predictedFile(100), 2.5),
  predicting('a predicted file, every 50th token edited', predictedFile(50), 2.5),
  predicting('a useless prediction', predictedFile(3), 0.98),
  counting('a draft model that is always right', [], 1.3, { draft_model: rightDraft }),
  counting('a draft model that is always wrong', [], 0.98, { draft_model: wrongDraft }),
  withHead('a prediction head that is always right', headNames.right, 1.6),
  withHead('a prediction head that is never right', headNames.wrong, 0.98),
  withHead('a prediction head that is right half of the time', headNames.half, 0.98),
  ember('edit', [`${paragraph.repeat(3)}${paragraph.slice(0, 60)}`], { raw: true }),
  ember('chat', ['Why is the sky blue?', 'What do bees eat?', 'How does a boat float?', 'Who are you?']),
  ember('story', ['Write a long story about a fox.', 'Tell a story about a king and a river.']),
  ember('JSON', ['List twelve people with name, age and city.'], { format: listSchema }),
  ember('code', ['Write a Python program that sorts numbers.', 'Write a function that adds two numbers.']),
];
