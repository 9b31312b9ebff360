import tseslint from 'typescript-eslint';

const typed = {
  '@typescript-eslint/no-floating-promises': 'error',
  '@typescript-eslint/no-misused-promises': 'error',
  '@typescript-eslint/switch-exhaustiveness-check': [
    'error',
    { considerDefaultExhaustiveForUnions: true },
  ],
  '@typescript-eslint/no-explicit-any': 'error',
  '@typescript-eslint/no-import-type-side-effects': 'error',
  '@typescript-eslint/await-thenable': 'error',
  '@typescript-eslint/no-unsafe-assignment': 'error',
  '@typescript-eslint/no-unsafe-call': 'error',
  '@typescript-eslint/no-unsafe-member-access': 'error',
  '@typescript-eslint/no-unsafe-return': 'error',
  '@typescript-eslint/no-unsafe-argument': 'error',
  '@typescript-eslint/only-throw-error': 'error',
  '@typescript-eslint/prefer-promise-reject-errors': 'error',
  '@typescript-eslint/use-unknown-in-catch-callback-variable': 'error',
  '@typescript-eslint/consistent-type-imports': 'error',
  'no-empty': 'error',
  'no-restricted-exports': ['error', { restrictDefaultExports: { direct: true } }],
  eqeqeq: 'error',
  'prefer-const': 'error',
};

const sizes = {
  'max-lines': ['error', { max: 400, skipBlankLines: false }],
  'max-lines-per-function': ['error', { max: 60, skipComments: true, skipBlankLines: true }],
  'max-params': ['error', 4],
  complexity: ['error', 15],
};

/** `...{ a, b }` is `a, b`, written so that a formatter keeps it on one line. */
const plain = {
  'no-restricted-syntax': [
    'error',
    {
      selector: 'ObjectExpression > SpreadElement > ObjectExpression',
      message: 'Write the properties into the object: a literal is spread for a condition only.',
    },
    {
      selector: "ImportDeclaration[source.value='zod'] > ImportSpecifier",
      message: 'Write `import * as z`: the object z brings all of zod into every bundle.',
    },
  ],
};

/** Each console program of the product says `windowsHide`: otherwise Windows shows a window for it. */
const hidden = {
  'no-restricted-syntax': [
    ...plain['no-restricted-syntax'],
    ...["[callee.name='spawn']", "[callee.callee.name='promisify']"].map((call) => ({
      selector: `CallExpression${call}:not(:has(Property[key.name='windowsHide']))`,
      message: 'Write windowsHide: true, or a window of the console appears on Windows.',
    })),
  ],
};

/**
 * The composition root of the engine only creates objects and hands them to each other: divided, it would hide who gets
 * what. Nothing else may be longer than the limit of `sizes`.
 */
const compositionRoot = {
  files: ['src/compose/engine.ts'],
  rules: {
    'max-lines-per-function': ['error', { max: 80, skipComments: true, skipBlankLines: true }],
  },
};

const project = (files, tsconfig, rules) => ({
  files,
  languageOptions: { parser: tseslint.parser, parserOptions: { project: tsconfig } },
  plugins: { '@typescript-eslint': tseslint.plugin },
  linterOptions: { reportUnusedDisableDirectives: 'error' },
  rules,
});

export default [
  {
    ignores: [
      'dist/**',
      'dist-test/**',
      'out/**',
      '.test/**',
      'node_modules/**',
      'test/fixtures/**',
    ],
  },
  project(['src/**/*.ts'], './tsconfig.json', { ...typed, ...sizes, ...hidden }),
  compositionRoot,
  project(['webview/**/*.ts'], './webview/tsconfig.json', { ...typed, ...sizes, ...plain }),
  project(['test/**/*.ts'], './test/tsconfig.json', { ...typed, 'max-params': ['error', 4] }),
];
