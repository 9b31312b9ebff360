/**
 * `node --import` of this: packages that ship as late files are taken out of `dist`, and pages are read by the worker that
 * ships. So a test shows what people get, where it else shows what npm installed.
 */
import { registerHooks } from 'node:module';
import { lateFiles } from './lateFiles.mjs';

const dist = new URL('../../../dist/', import.meta.url);

registerHooks({
  resolve(specifier, context, next) {
    const file = lateFiles[specifier];
    if (file === undefined || !context.parentURL?.includes('/src/')) return next(specifier, context);
    return { url: new URL(`${file}.cjs`, dist).href, format: 'commonjs', shortCircuit: true };
  },
  load(url, context, next) {
    const loaded = next(url, context);
    if (!url.endsWith('/src/web/readInWorker.ts')) return loaded;
    return {
      ...loaded,
      source: String(loaded.source).replace('./pageWorker.ts', new URL('pageWorker.mjs', dist).href),
    };
  },
});
