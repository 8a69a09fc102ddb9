// The reference that most pages are: the whole text is parsed anew with each change.
import { createElement } from 'react';
import Markdown from 'react-markdown';
import remarkGfm from 'remark-gfm';
import { begin } from './page.mjs';

begin((text) => createElement(Markdown, { remarkPlugins: [remarkGfm] }, text));
