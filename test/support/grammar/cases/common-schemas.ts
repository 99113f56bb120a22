// Building blocks of test schemas.

export const object = (properties: object, more: object = {}): object => ({ type: 'object', properties, ...more });
export const string = { type: 'string' };
export const integer = { type: 'integer' };
