/** What a front end needs to bring a provider of its own. */
export { dependable } from '../models/provider.ts';
export { CallFailed } from '../models/guarded.ts';
