/**
 * Required by tiers whose tests start our programs from their sources again and again: what Node
 * makes of a source is kept for the next process. It reaches children with the environment; one
 * that is given a smaller one is handed `NODE_COMPILE_CACHE` by its test, or starts as slowly as
 * ever.
 */
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { repositoryRoot } from './paths.ts';

process.env['NODE_COMPILE_CACHE'] ??= join(repositoryRoot, 'node_modules/.cache/compiled');
enableCompileCache(process.env['NODE_COMPILE_CACHE']);
