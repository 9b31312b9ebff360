/** A separate module, so that a window loads web-tree-sitter only with its first engine. */
export { Language, Parser } from 'web-tree-sitter';
