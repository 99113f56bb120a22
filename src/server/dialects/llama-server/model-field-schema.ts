// The field with which a request may name its model.

import { Type } from 'typebox';
import { documentedName } from '../shared/common-fields-schema.ts';

export const chosenModelField = Type.Optional(
  Type.String({
    description: 'Default: the loaded model that was used last, otherwise Ember or the newest model.',
    documented: documentedName,
  }),
);
