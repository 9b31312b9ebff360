/** Anthropic's SDK is one file, whoever loads it: the SDK for Bedrock, which extends its classes, takes them from there. */

export const anthropicSdk = '@anthropic-ai/sdk';

/** What the SDK for Bedrock takes of it. */
const partsForBedrock = [
  ...['client', 'core/error', 'core/middleware', 'core/pagination', 'error', 'resources/index', 'streaming', 'version'],
];

/** What `anthropic.cjs` exports for the SDK for Bedrock. */
export const anthropicEntry = partsForBedrock
  .map((part) => `export * as ${JSON.stringify(part)} from '${anthropicSdk}/${part}';`)
  .join('\n');

export const oneAnthropicSdk = {
  name: 'one-anthropic-sdk',
  setup(build) {
    build.onResolve({ filter: new RegExp(`^${anthropicSdk}/`) }, ({ path, importer }) =>
      importer.includes('bedrock-sdk') ? { path, namespace: 'anthropic' } : undefined,
    );
    build.onLoad({ filter: /.*/, namespace: 'anthropic' }, async ({ path }) => {
      const part = path.slice(anthropicSdk.length + 1);
      if (!partsForBedrock.includes(part)) throw new Error(`anthropicSdk.mjs: partsForBedrock is to name ${part}`);
      const names = Object.keys(await import(path)).filter((name) => name !== 'default');
      return {
        contents: `export const { ${names.join(', ')} } = require('./anthropic.cjs')[${JSON.stringify(part)}];`,
      };
    });
    build.onResolve({ filter: /^\.\/anthropic\.cjs$/, namespace: 'anthropic' }, ({ path }) => ({
      path,
      external: true,
    }));
  },
};
