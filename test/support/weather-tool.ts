// The usual example of a tool.

export const weatherTool = {
  type: 'function',
  function: {
    name: 'get_current_weather',
    description: 'Get the current weather for a location',
    parameters: {
      type: 'object',
      properties: {
        location: { type: 'string', description: 'The location to get the weather for, e.g. San Francisco, CA' },
        format: {
          type: 'string',
          description: "The format to return the weather in, e.g. 'celsius' or 'fahrenheit'",
          enum: ['celsius', 'fahrenheit'],
        },
      },
      required: ['location', 'format'],
    },
  },
} as const;

export const weatherQuestion = { role: 'user', content: 'Get the current weather for Paris in celsius.' } as const;
