// What the clients ask: questions that Ember answers reliably.

import { z } from 'zod';
import { colors, drawPng } from '../support/models/draw.ts';

export const sky = 'Why is the sky blue?';
export const skyAnswer = /scatter/i;
export const conversation = [
  { role: 'user', content: 'My name is Anna.' },
  { role: 'assistant', content: 'Nice to meet you, Anna!' },
  { role: 'user', content: 'What is my name?' },
] as const;
export const anna = 'Reply in JSON with keys name and age for Anna who is 31.';
export const person = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    age: { type: 'integer', minimum: 0, maximum: 150 },
    mood: { type: 'string', enum: ['happy', 'sad'] },
  },
  required: ['name', 'age', 'mood'],
  additionalProperties: false,
} as const;
/** As users of zod write it. */
export const Person = z.object({ name: z.string(), age: z.number().int(), mood: z.enum(['happy', 'sad']) });
export const weatherAnswer = { temperature: 21, condition: 'sunny' };
export const sum = 'What is 12 + 30?';
export const sumAnswer = /42/;
export const look = 'Describe the image.';
export const image = drawPng({ shape: 'circle', color: colors.red });
export const imageUrl = `data:image/png;base64,${image.toString('base64')}`;
export const seen = /red circle/;
