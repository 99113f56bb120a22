// Sets of tools with questions about them, for tests of the calls that a model makes.

export interface ToolSet {
  readonly name: string;
  readonly tools: readonly { readonly type: 'function'; readonly function: ToolFunction }[];
  readonly questions: readonly string[];
}

interface ToolFunction {
  readonly name: string;
  readonly description: string;
  readonly parameters?: Readonly<Record<string, unknown>>;
}

const tool = (name: string, description: string, parameters?: Readonly<Record<string, unknown>>) => ({
  type: 'function' as const,
  function: { name, description, ...(parameters === undefined ? {} : { parameters }) },
});

const object = (properties: object, required: readonly string[]) => ({ type: 'object', properties, required });

export const toolSets: readonly ToolSet[] = [
  {
    name: 'enums',
    tools: [
      tool(
        'get_weather',
        'Get the weather of a city',
        object({ city: { type: 'string' }, unit: { type: 'string', enum: ['celsius', 'fahrenheit'] } }, [
          'city',
          'unit',
        ]),
      ),
      tool('get_time', 'Get the time in a city', object({ city: { enum: ['Oslo', 'Rome', 'Lima'] } }, ['city'])),
    ],
    questions: ['What is the weather in Paris?', 'What time is it in Rome?', 'Is it cold in Oslo, in fahrenheit?'],
  },
  {
    name: 'nested objects',
    tools: [
      tool(
        'send_mail',
        'Send a mail',
        object(
          {
            to: object({ name: { type: 'string' }, address: { type: 'string', format: 'email' } }, ['address']),
            priority: { type: 'integer', minimum: 1, maximum: 5 },
            tags: { type: 'array', items: { enum: ['work', 'home'] }, maxItems: 3 },
          },
          ['to', 'priority'],
        ),
      ),
      tool(
        'read_file',
        'Read a file',
        object(
          { path: { type: 'string', minLength: 1 }, lines: { type: 'array', items: { type: 'integer' }, maxItems: 2 } },
          ['path'],
        ),
      ),
    ],
    questions: [
      'Send Anna a mail that says hello.',
      'Read the file /etc/hosts.',
      'Write to bob@example.org about work.',
    ],
  },
  {
    name: 'many required members, and none',
    tools: [
      tool(
        'add_event',
        'Add an event to the calendar',
        object(
          {
            title: { type: 'string', maxLength: 40 },
            day: { type: 'string', format: 'date' },
            hour: { type: 'integer', minimum: 0, maximum: 23 },
            repeats: { type: 'boolean' },
            place: { anyOf: [{ type: 'string', maxLength: 20 }, { type: 'null' }] },
          },
          ['title', 'day', 'hour', 'repeats', 'place'],
        ),
      ),
      tool('list_events', 'List the events of today'),
    ],
    questions: ['What is on my calendar today?', 'Add a meeting tomorrow at ten.', 'List my events.'],
  },
];
