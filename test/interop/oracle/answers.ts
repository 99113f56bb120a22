// Our answers for parsers: what models of each family write. Each is read with and without tools and with several `think`
// values.

/** Every parser gets these. */
const common: readonly string[] = [
  'Hello!',
  '  Hello \n\n there  ',
  'Ünïcödé 🌍 日本語',
  'I think.</think>The answer.',
  'I think.\n\n</think>\n\nThe answer.',
  '<think>I think.</think>The answer.',
  '<think>\nI think.\n</think>\n\nThe answer.',
  '</think>The answer.',
  'I think and never stop',
  'a < b and c > d, <b>bold</b>, [list], {"json": true}',
  'The text ends with <',
  'The text ends with </thin',
];

const weatherJson = '{"city": "Paris"}';
const planJson = '{"steps": [{"z": "1", "a": 2.5}], "options": {"zone": "Zürich </b>"}, "limit": null, "flags": true}';

const deepSeek = (...calls: readonly string[]): string =>
  `<｜tool▁calls▁begin｜>${calls.map((text) => `<｜tool▁call▁begin｜>${text}<｜tool▁call▁end｜>`).join('')}<｜tool▁calls▁end｜>`;
const cogitoCall = (name: string, args: string): string => `function<｜tool▁sep｜>${name}\n\`\`\`json\n${args}\n\`\`\``;
const glmCall = (name: string, ...pairs: readonly (readonly [string, string])[]): string =>
  `<tool_call>${name}${pairs.map(([key, value]) => `<arg_key>${key}</arg_key><arg_value>${value}</arg_value>`).join('')}</tool_call>`;
const element = (name: string, ...pairs: readonly (readonly [string, string])[]): string =>
  `<tool_call>\n<function=${name}>\n${pairs.map(([key, value]) => `<parameter=${key}>\n${value}\n</parameter>\n`).join('')}</function>\n</tool_call>`;

const bySyntax = {
  json: [
    `<tool_call>\n{"name": "weather", "arguments": ${weatherJson}}\n</tool_call>`,
    `I look.\n<tool_call>{"name": "plan", "arguments": ${planJson}}</tool_call>\n<tool_call>{"name": "clock", "arguments": {}}</tool_call> Done.`,
    `I think.</think>\n<tool_call>\n{"name": "clock", "arguments": {}}\n</tool_call>`,
  ],
  elements: [
    element('weather', ['city', 'Paris'], ['days', '2']),
    `I look.\n${element('plan', ['steps', '[{"z": "1", "a": 2}]'], ['options', '{"zone": "<b>"}'], ['flags', 'true'], ['limit', '7'])}`,
    `I think.\n</think>\n\n${element('clock')}\n${element('weather', ['city', 'New\nYork'], ['unit', ' celsius '])}`,
  ],
  glm: [
    glmCall('weather', ['city', 'Paris'], ['days', '2']),
    `I think.</think>I look.\n${glmCall('plan', ['steps', '[{"z": "1"}]'], ['options', '{"zone": "a & b < c"}'], ['flags', 'true'], ['limit', '7'])}`,
    `</think>${glmCall('clock')}\n${glmCall('weather', ['city', 'New\nYork'], ['unit', ' celsius '])} Done.`,
    '<think>I think.</think>\n<tool_call>weather\n<arg_key>city</arg_key>\n<arg_value>Rome</arg_value>\n</tool_call>',
  ],
  cogito: [
    deepSeek(cogitoCall('weather', weatherJson)),
    `I think.</think>I look. ${deepSeek(cogitoCall('plan', planJson), cogitoCall('clock', '{}'))}`,
    `I look.\n${deepSeek(cogitoCall('clock', '{}'))}\n Done.`,
    '<｜tool▁outputs▁begin｜><｜tool▁output▁begin｜>18<｜tool▁output▁end｜><｜tool▁outputs▁end｜>It is 18.',
  ],
  deepSeek: [
    deepSeek(`weather<｜tool▁sep｜>${weatherJson}`),
    `I think.</think>I look. ${deepSeek(`plan<｜tool▁sep｜>${planJson}`, 'clock<｜tool▁sep｜>{}')}`,
    `I look.\n${deepSeek('clock<｜tool▁sep｜>{}')}\n Done.`,
    'See: <｜tool▁output▁begin｜> 18 <｜tool▁output▁end｜> degrees.',
  ],
  python: [
    '<function_calls>weather(city="Paris", days=2)</function_calls>',
    `I look.\n<function_calls>\nplan(steps=[{"z": "1", "a": 2.5}], options={"zone": 'it\\'s'}, flags=True, limit=None)\nclock()\n</function_calls>\nDone.`,
    '<function_calls>weather(city="a, b (c) = \\"d\\"\\n", unit=celsius)</function_calls>',
  ],
  lists: [
    '<|tool_call_start|>[weather(city="Paris", days=2)]<|tool_call_end|>',
    `I look.<|tool_call_start|>[plan(steps=[{"z": "1"}], flags=True, limit=None), clock()]<|tool_call_end|> Done.`,
    `I think.</think>\n<|tool_call_start|>[{"name": "weather", "arguments": ${weatherJson}}]<|tool_call_end|>`,
  ],
  mistral: [
    `[TOOL_CALLS]weather[ARGS]${weatherJson}`,
    `I look. \n[TOOL_CALLS]plan[ARGS]${planJson}[TOOL_CALLS]clock[ARGS]{} Done.`,
    '[THINK]I think.[/THINK]\nThe answer.',
    `Well [THINK] I think. [/THINK] [TOOL_CALLS]clock[ARGS]{}`,
  ],
  harmony: [
    '<|channel|>final<|message|>The answer.',
    '<|channel|>analysis<|message|>I think.<|end|><|start|>assistant<|channel|>final<|message|>The answer.',
    `<|channel|>analysis<|message|>I think.<|end|><|start|>assistant<|channel|>commentary to=functions.weather <|constrain|>json<|message|>${weatherJson}`,
    `<|channel|>commentary to=functions.plan<|constrain|>json<|message|>${planJson}`,
    `<|start|>assistant to=functions.clock<|channel|>commentary json<|message|>{}`,
    '<|channel|>commentary<|message|>I look it up.<|end|><|start|>assistant<|channel|>analysis to=functions.clock code<|message|>{}',
  ],
  functionGemma: [
    '<start_function_call>call:weather{city:<escape>Paris<escape>,days:2}<end_function_call>',
    'I look. <start_function_call>call:plan{steps:[1,<escape>a,b<escape>],flags:true,limit:null}<end_function_call><start_function_call>call:clock{}<end_function_call> Done.',
  ],
  gemma4: [
    '<|tool_call>call:weather{city:<|"|>Paris<|"|>,days:2}<tool_call|>',
    '<|channel>thought\nI think.<channel|>I look.<|tool_call>call:plan{steps:[{z:<|"|>1<|"|>}],flags:true,limit:null}<tool_call|><|tool_call>call:clock{}<tool_call|>',
    '<|channel>thought\n<channel|>The answer.',
    'Well <|channel>thought\nI think again.<channel|> yes.',
  ],
  cohere: [
    `I think.<|END_THINKING|><|START_ACTION|>[{"tool_call_id": "0", "tool_name": "weather", "parameters": ${weatherJson}}]<|END_ACTION|>`,
    'I think.<|END_THINKING|><|START_TEXT|>The answer.<|END_TEXT|>',
    '<|START_THINKING|>I think.<|END_THINKING|><|START_RESPONSE|>The answer.<|END_RESPONSE|>',
  ],
  glimmer: [
    ' to user<|message|>The answer.<|eot|>',
    '<|recipient|>self<|message|>I think.<|eot|><|start|>assistant<|recipient|>user<|message|>The answer.',
  ],
} satisfies Readonly<Record<string, readonly string[]>>;

/** The syntaxes that a parser should know. */
const syntaxes: Readonly<Record<string, readonly (keyof typeof bySyntax)[]>> = {
  qwen3: ['json'],
  'qwen3-thinking': ['json'],
  'qwen3-vl-instruct': ['json'],
  'qwen3-vl-thinking': ['json'],
  'qwen3-coder': ['elements'],
  'qwen3.5': ['elements'],
  ornith: ['elements'],
  'nemotron-3-nano': ['elements'],
  'nemotron-3.5-nano': ['elements'],
  'glm-4.7': ['glm'],
  'glm-ocr': ['glm'],
  laguna: ['glm', 'elements', 'json'],
  'poolside-v1': ['glm', 'elements', 'json'],
  cogito: ['cogito'],
  deepseek3: ['deepSeek'],
  olmo3: ['python'],
  'olmo3-think': ['python'],
  lfm2: ['lists'],
  'lfm2-thinking': ['lists'],
  ministral: ['mistral'],
  harmony: ['harmony'],
  functiongemma: ['functionGemma'],
  gemma4: ['gemma4'],
  'gemma4-no-thinking': ['gemma4'],
  cohere: ['cohere'],
  glimmer: ['glimmer'],
};

export function answersFor(parser: string): readonly string[] {
  return [...common, ...(syntaxes[parser] ?? []).flatMap((name) => bySyntax[name])];
}
