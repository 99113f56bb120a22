// The entry point of the web page.

import { render } from 'preact';
import './style/main.css';

const root = document.getElementById('app');
if (root === null) throw new Error('index.html has no element #app');
render(<main>Hearth</main>, root);
