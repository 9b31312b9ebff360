/** What packages bring and nothing here can reach: it does not ship. */
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as esbuild from 'esbuild';

/**
 * What dockerode needs for sessions of BuildKit alone, the parser of turndown for texts, what checks forms that a tool
 * server could show, and how AWS tells browsers apart.
 */
export const leaveOut = {
  name: 'leave-out',
  setup(build) {
    const unused = /^(@grpc\/|protobufjs$|@mixmark-io\/domino$|ajv$|ajv-formats$|bowser$)/;
    build.onResolve({ filter: unused }, ({ path }) => ({ path, namespace: 'left-out' }));
    build.onLoad({ filter: /.*/, namespace: 'left-out' }, () => ({ contents: 'module.exports = {};' }));
  },
};

/** The types of attachments: an e-mail of Helios has none. */
export const noAttachments = {
  name: 'no-attachments',
  setup(build) {
    build.onLoad({ filter: /nodemailer[\\/]dist[\\/]esm[\\/]mime-funcs[\\/]mime-types\.js$/ }, () => ({
      contents: 'export const detectMimeType = undefined, detectExtension = undefined;',
    }));
  },
};

/** undici has a parser on trial, too, and leaves it out where this is defined, as in the bundle that is in Node. */
export const undiciDefines = { esbuildDetection: 'true' };

/** undici has its parser twice: for any processor, and for those that do more at once. */
export const oneParser = {
  name: 'one-parser',
  setup(build) {
    build.onLoad({ filter: /undici[\\/]lib[\\/]llhttp[\\/]llhttp_simd-wasm\.js$/ }, ({ path }) => ({
      contents: "module.exports = require('./llhttp-wasm.js');",
      resolveDir: dirname(path),
    }));
  },
};

/** Streams of Node, as packages carry them for where there is no Node. */
export const nodeStreams = {
  name: 'node-streams',
  setup(build) {
    build.onResolve({ filter: /^readable-stream$/ }, () => ({ path: 'node:stream', external: true }));
  },
};

/** dockerode can use ssh2, too: the one that is there. */
export const oneSsh2 = {
  name: 'one-ssh2',
  setup(build) {
    build.onResolve({ filter: /^ssh2$/ }, ({ kind, importer }) =>
      kind === 'require-call' && importer.includes('docker-modem') ? { path: './ssh2.cjs', external: true } : undefined,
    );
  },
};

/** A page is written with the few entities that XML has; its reader has the tables of HTML in a version of its own. */
export const fewEntities = {
  name: 'few-entities',
  setup(build) {
    build.onResolve({ filter: /^entities$/ }, ({ importer, resolveDir, pluginData }) =>
      importer.includes('dom-serializer') && pluginData !== 'asked'
        ? build
            .resolve('entities', { kind: 'import-statement', importer, resolveDir, pluginData: 'asked' })
            .then(({ path }) => ({ path: join(dirname(path), 'escape.js') }))
        : undefined,
    );
  },
};

/** What of pdf.js draws pages, edits them, and fills in their forms. */
const unusedOfPdf = ['CanvasGraphics', 'AnnotationEditor', 'AnnotationEditorUIManager', 'PDFEditor', 'XFAFactory'];

/** Brotli is in Node; pdf.js brings its own, with a dictionary of 120 kB. */
const brotliOfNode = `return (bytes) => new Int8Array(brotliDecompressSync(bytes));`;

/** Texts are all that is read of a PDF. */
export const textsOfPdf = {
  name: 'texts-of-pdf',
  setup(build) {
    build.onLoad({ filter: /unpdf[\\/]dist[\\/]pdfjs\.mjs$/ }, async ({ path }) => {
      // Written out, whatever stands at the top begins and ends at the beginning of a line.
      const { code } = await esbuild.transform(await readFile(path, 'utf8'), { target: 'node22' });
      const emptied = unusedOfPdf.reduce((text, name) => withBody(text, name, ''), code);
      const short = withBody(emptied, 'makeBrotliDecode', brotliOfNode);
      const exported = /^globalThis\._pdfjsTestingUtils = .*$/m;
      if (!exported.test(short)) throw new Error('leftOut.mjs: pdf.js has changed the end of its module');
      return { contents: `import { brotliDecompressSync } from 'node:zlib';\n${short.replace(exported, '')}` };
    });
  },
};

/** The text with another body of what is called `name` at its top. */
function withBody(text, name, body) {
  const whole = new RegExp(
    `^((?:\\S.*)?\\b(?:class ${name}\\b|${name} = (?:class\\b|\\(\\) =>)).*\\{\\n)[^]*?\\n(?=\\})`,
    'm',
  );
  if (!whole.test(text)) throw new Error(`leftOut.mjs: pdf.js has no ${name}`);
  return text.replace(whole, (_, head) => `${head}${body}\n`);
}
