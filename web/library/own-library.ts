// The library of the page. Other tabs of the browser show what is changed here.

import { Library } from './library.ts';

export const library = new Library(new BroadcastChannel('hearth.library'));
