// Schemas of answers whose speed is measured.

export const callSchema = {
  type: 'object',
  properties: {
    name: { type: 'string', enum: ['get_weather', 'search_files', 'send_message'] },
    arguments: {
      type: 'object',
      properties: { query: { type: 'string' }, unit: { type: 'string', enum: ['celsius', 'kelvin'] } },
      required: ['query', 'unit'],
    },
  },
  required: ['name', 'arguments'],
};
const names = Array.from({ length: 40 }, (_, index) => `field_${index}`);
export const largeSchema = {
  type: 'object',
  properties: Object.fromEntries(
    names.map((name, index) => [
      name,
      [{ type: 'string' }, { type: 'integer' }, { type: 'array', items: { type: 'string', enum: names } }, callSchema][
        index % 4
      ],
    ]),
  ),
  required: names,
};
