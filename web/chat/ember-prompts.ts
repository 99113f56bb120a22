// What Ember answers well. It knows only English.

export const emberPrompts = ['What is the capital of France?', 'Why is the sky blue?', 'What is 2 + 2?'];
