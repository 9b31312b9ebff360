// Enforces `layers.cjs`: a folder imports only what lies below it.
const { below, floors } = require('./layers.cjs');

/** Ends of the names of files that say what is shown, and leave showing it to others: unit tests run them as they are. */
const withoutVscode = [
  'Rows?',
  'Lines',
  'Text',
  'Table',
  'Words',
  'Draft',
  'Document',
  'State',
  'Choices',
  '/statusBar',
  '/follow',
  '/transcript',
  '/preconditions',
  '/unseenBriefs',
  '/limits',
  '/commandTarget',
];

const floorRules = Object.entries(floors).flatMap(([folder, names]) =>
  names.map((name, index) => ({
    name: `${folder}-${name}`,
    severity: 'error',
    from: { path: `^src/${folder}/${name}/` },
    to: {
      path: `^src/${folder}/`,
      pathNot: `^src/${folder}/(${names.slice(0, index + 1).join('|')})/`,
    },
  })),
);
const folders = Object.keys(below);
const core = folders.filter((folder) => folder !== 'protocol').join('|');

module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'core-knows-no-vscode',
      severity: 'error',
      from: { path: `^src/(${core}|protocol|cli|background|compose)` },
      to: { path: '(^|/)vscode($|/)|^src/(vscode/|extension)' },
    },
    {
      name: 'rows-and-texts-know-no-vscode',
      severity: 'error',
      from: { path: `^src/vscode/.*(${withoutVscode.join('|')})\\.ts$` },
      to: { path: '(^|node_modules/@types/)vscode$' },
    },
    {
      name: 'webview-knows-only-protocol',
      severity: 'error',
      from: { path: '^webview/' },
      to: { path: '^src/', pathNot: '^src/protocol/' },
    },
    {
      name: 'src-knows-no-webview',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^(webview|test)/' },
    },
    {
      name: 'front-ends-know-not-each-other',
      severity: 'error',
      from: { path: '^src/vscode/' },
      to: { path: '^src/(cli/|background/|extension)' },
    },
    {
      name: 'cli-is-a-front-end',
      severity: 'error',
      from: { path: '^src/cli/' },
      to: { path: '^src/(vscode/|background/|extension)' },
    },
    {
      name: 'background-is-a-front-end',
      severity: 'error',
      from: { path: '^src/background/' },
      to: { path: '^src/(vscode/|cli/|extension)' },
    },
    {
      name: 'front-ends-have-one-door',
      severity: 'error',
      from: { path: '^src/(vscode|cli|background)/|^src/extension' },
      to: {
        path: '^src/',
        pathNot: '^src/(compose|presentation|protocol|base|vscode|cli|background)/',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'a-window-loads-the-engine-late',
      severity: 'error',
      from: { path: '^src/(vscode|compose|presentation)/|^src/extension' },
      to: { path: '^src/compose/engine\\.ts$', dynamic: false, dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'nobody-imports-a-front-end',
      severity: 'error',
      from: { path: `^src/(${core}|protocol|compose)` },
      to: { path: '^src/(cli|background|vscode)/' },
    },
    {
      name: 'protocol-is-browser-safe',
      severity: 'error',
      from: { path: '^src/protocol/' },
      to: { dependencyTypes: ['core'] },
    },
    ...folders.map((folder) => ({
      name: `layer-${folder}`,
      severity: 'error',
      from: { path: `^src/${folder}/` },
      to: {
        path: '^src/',
        pathNot: `^src/(${[folder, ...(folder === 'protocol' ? [] : ['base']), ...below[folder]].join('|')})/`,
      },
    })),
    ...floorRules,
    {
      name: 'agent-has-floors',
      severity: 'error',
      from: {},
      to: { path: '^src/agent/', pathNot: `^src/agent/(${floors.agent.join('|')})/` },
    },
    {
      name: 'commands-have-floors',
      severity: 'error',
      from: {},
      to: {
        path: '^src/permissions/commands/',
        pathNot: `^src/permissions/commands/((${floors['permissions/commands'].join('|')})/|(classify|argumentLists)\\.ts$)`,
      },
    },
  ],
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    // The package esbuild is taken for it.
    exclude: { path: '^esbuild\\.mjs$' },
    enhancedResolveOptions: { extensions: ['.ts', '.mjs', '.js'] },
  },
};
