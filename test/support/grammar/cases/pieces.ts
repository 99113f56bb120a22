// What schemas of tests are made of.

export const object = (properties: object, more: object = {}): object => ({ type: 'object', properties, ...more });
export const text = { type: 'string' };
export const whole = { type: 'integer' };
