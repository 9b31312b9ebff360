/**
 * Separate module that `loadShell` imports dynamically, so that web-tree-sitter is loaded only when
 * a window first needs the shell parser.
 */
export { Language, Parser } from 'web-tree-sitter';
