/** What only a call to a model or a remote machine needs is a file of its own: the extension is loaded without it. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { anthropicEntry, anthropicSdk } from './anthropicSdk.mjs';

/** Package → the file of `dist` that it ships in, without its ending. Packages that share much share a file. */
export const lateFiles = {
  [anthropicSdk]: 'anthropic',
  '@anthropic-ai/bedrock-sdk': 'bedrock',
  '@anthropic-ai/claude-agent-sdk/core': 'claude',
  '@modelcontextprotocol/sdk/server/index.js': 'claude',
  '@google/genai/web': 'gemini',
  openai: 'openai',
  ssh2: 'ssh2',
  dockerode: 'dockerode',
  undici: 'undici',
  nodemailer: 'nodemailer',
};

const lateNames = new RegExp(`^(${Object.keys(lateFiles).join('|').replaceAll('.', '\\.')})$`);

/** For who imports them: each is where it ships. */
export const loadLate = {
  name: 'load-late',
  setup(build) {
    build.onResolve({ filter: lateNames }, ({ path, kind }) =>
      kind === 'dynamic-import' ? { path: `./${lateFiles[path]}.cjs`, external: true } : undefined,
    );
  },
};

const namespace = 'late-entry';

/** The entry of each late file. */
export const lateEntries = Object.fromEntries(
  [...new Set(Object.values(lateFiles))].map((file) => [file, `${namespace}:${file}`]),
);

/** Makes what those entries hold: of each package what the sources take, so that the rest can be left out. */
export const gatherLate = (root) => ({
  name: 'gather-late',
  setup(build) {
    const taken = takenOfPackages(join(root, 'src'));
    build.onResolve({ filter: new RegExp(`^${namespace}:`) }, ({ path }) => ({
      path: path.slice(namespace.length + 1),
      namespace,
    }));
    build.onLoad({ filter: /.*/, namespace }, async ({ path: file }) => {
      const packages = Object.keys(lateFiles).filter((name) => lateFiles[name] === file);
      const lines = packages.map(async (name) => entryOf(name, (await taken).get(name)));
      return { contents: (await Promise.all(lines)).join('\n'), resolveDir: root };
    });
  },
});

function entryOf(name, taken) {
  if (taken === undefined) throw new Error(`test/setup/bundle/lateFiles.mjs: no source imports ${name}`);
  if (taken === 'all') return `module.exports = require(${JSON.stringify(name)});`;
  if (name === 'undici') return undiciEntry([...taken]);
  const own = name === anthropicSdk ? anthropicEntry : '';
  return `export { ${[...taken].join(', ')} } from ${JSON.stringify(name)};\n${own}`;
}

/**
 * Of each package that `await import()` names: the names that are taken out of it at once, or `all` where the whole is taken
 * anywhere.
 */
async function takenOfPackages(folder) {
  const files = (await readdir(folder, { recursive: true })).filter((path) => path.endsWith('.ts'));
  const taken = new Map();
  for (const text of await Promise.all(files.map((path) => readFile(join(folder, path), 'utf8')))) {
    for (const [, names, name] of text.matchAll(/(?:const \{([^{}]*)\} = await )?\bimport\('([^']+)'\)/g)) {
      const before = taken.get(name) ?? new Set();
      const isAll = names === undefined || before === 'all';
      taken.set(name, isAll ? 'all' : new Set([...before, ...namesIn(names)]));
    }
  }
  return taken;
}

/** `Agent, OpenAI: Client` → `Agent`, `OpenAI`. */
const namesIn = (text) =>
  text
    .split(',')
    .map((part) => part.split(':')[0].trim())
    .filter(Boolean);

/** What undici exports from one module that loads all it has. */
const partsOfUndici = {
  Agent: "export { default as Agent } from 'undici/lib/dispatcher/agent.js';",
  EnvHttpProxyAgent: "export { default as EnvHttpProxyAgent } from 'undici/lib/dispatcher/env-http-proxy-agent.js';",
  fetch: "export { fetch } from 'undici/lib/web/fetch/index.js';",
};

/** That module also gives dispatchers the methods by which they ask proxies. */
function undiciEntry(names) {
  const unknown = names.find((name) => !(name in partsOfUndici));
  if (unknown !== undefined) throw new Error(`test/setup/bundle/lateFiles.mjs: partsOfUndici is to name ${unknown}`);
  return [
    "import api from 'undici/lib/api/index.js';",
    "import Dispatcher from 'undici/lib/dispatcher/dispatcher.js';",
    'Object.assign(Dispatcher.prototype, api);',
    ...names.map((name) => partsOfUndici[name]),
  ].join('\n');
}
