/**
 * `npm run shell`: every script of the sources: those of the shell for their syntax by `sh` and for
 * their sense by shellcheck, those of Python for the syntax of Python 3.6.
 */
import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';

/**
 * Scripts are put together from several files: a variable may come from another one, or be meant
 * for it.
 */
const ofOneFile = ['SC2034', 'SC2154'];

const files = globSync('src/**/*.sh').sort();
const grammar = 'import ast, sys; ast.parse(open(sys.argv[1]).read(), feature_version=(3, 6))';
const checks = [
  ...globSync('src/**/*.py').map((file) => ['python3', '-c', grammar, file] as const),
  ...files.map((file) => ['sh', '-n', file] as const),
  [
    'shellcheck',
    '--shell=sh',
    '--format=gcc',
    `--exclude=${ofOneFile.join(',')}`,
    ...files,
  ] as const,
];

for (const [program, ...args] of checks) {
  const { status, error } = spawnSync(program, args, { stdio: 'inherit' });
  if (error !== undefined)
    console.error(
      `${program} does not run (${error.message}). On Debian and Ubuntu: apt-get install ${program}`,
    );
  if (status !== 0) process.exitCode = 1;
}
