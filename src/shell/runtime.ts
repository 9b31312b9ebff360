/** A separate module, so that a window loads it with the first engine. */
export { Language, Parser } from 'web-tree-sitter';
