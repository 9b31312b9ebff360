/** Helpers for a front end that has its own model provider. */
export { dependable } from '../models/provider.ts';
export { CallFailed } from '../models/guarded.ts';
