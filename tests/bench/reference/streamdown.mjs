// The reference that is made for streams: blocks that have not changed are not parsed again.
import { createElement } from 'react';
import { Streamdown } from 'streamdown';
import { begin } from './page.mjs';

begin((text) => createElement(Streamdown, null, text));
