/** The programs that a mandate can cover, each with its check. */
import type { Check, Rule } from '../step.ts';
import { argumentsInside } from './arguments.ts';
import { docker } from './containers.ts';
import { aria2c, curl, git, hub, wget } from './downloads.ts';
import { changes, copies, dd, reads, removes, sed, tar, yq } from './files.ts';
import { conda, npm, pip, poetry, uv } from './installs.ts';
import { awk, interpreter } from './interpreters.ts';
import { assigns, except, kill, make, server } from './tools.ts';

const rules = new Map<string, Rule>();
const add = (names: string, check: Check, commandClass?: Rule['commandClass']): void => {
  for (const name of names.split(' '))
    rules.set(name, { check, ...(commandClass && { commandClass }) });
};

add('export local declare readonly set', assigns);
add(
  'unset read wait exit return shift break continue shopt umask hash : true false deactivate ' +
    'fg jobs ulimit mktemp module ml',
  argumentsInside,
);
add('kill pkill killall', kill);
add(
  'cat tac head tail wc cut sort uniq grep egrep fgrep zgrep rg zcat diff cmp comm join paste ' +
    'ls tree du df stat file realpath readlink md5sum sha1sum sha256sum test [ [[ basename ' +
    'dirname tr jq column nl od hexdump xxd strings seq expr shuf ffprobe nvcc-smi',
  reads,
);
add('echo printf sleep', argumentsInside);
add(
  'mkdir rmdir touch tee truncate chmod gzip gunzip bzip2 bunzip2 xz unxz zstd unzstd pigz ' +
    'lz4 split csplit patch',
  changes,
  'files',
);
add('zip unzip 7z', changes, 'files');
add('yq', yq, 'files');
add('rm unlink mv', removes, 'files');
add('cp ln install rsync', copies, 'files');
add('tar', tar, 'files');
add('sed', sed, 'files');
add('dd', dd, 'files');
add(
  'python python2 python3 ipython perl ruby node deno bun Rscript julia lua php',
  interpreter,
  'scripts',
);
add('awk gawk mawk', awk, 'scripts');
add('jupyter', except(/^(?!nbconvert|execute|trust|--version)/), 'scripts');
add('papermill snakemake lm_eval lm-eval axolotl tune optuna', argumentsInside, 'scripts');
add('tensorboard mlflow', server, 'scripts');
add('make gmake ninja', make, 'tools');
add('cmake', except(/--install|--target install/), 'tools');
add(
  'gcc g++ cc c++ clang clang++ nvcc rustc javac ar ld tsc pytest py.test tox nox ruff black ' +
    'isort mypy flake8 pylint pyright yapf eslint prettier coverage doctest ffmpeg sox convert ' +
    'identify pandoc pdflatex latexmk xelatex bibtex dot gnuplot pdftotext sqlite3 cython swig ' +
    'nsys bazel meson tokei cloc shellcheck jsonlint yamllint nm objdump ldd',
  argumentsInside,
  'tools',
);
add('cargo', except(/^(?:install|publish|login|yank|owner)\b/), 'tools');
add('go', except(/^install\b/), 'tools');
add('dvc', except(/^(?!repro|status|diff|dag|metrics|params|exp show)/), 'tools');
add('wandb', except(/^(?!offline|status|disabled|--version)/), 'tools');
add('pip pip3', pip);
add('uv', uv);
add('uvx', (call) => uv({ ...call, rest: [] }) ?? argumentsInside(call));
add('conda mamba micromamba', conda);
add('poetry pipenv', poetry);
add('npm npx yarn pnpm', npm);
add('virtualenv', changes, 'files');
add('git', git, 'git');
add('curl', curl, 'downloads');
add('wget', wget, 'downloads');
add('aria2c', aria2c, 'downloads');
add(
  'hf huggingface-cli',
  hub('huggingface.co', /^(?:download|scan-cache|env|whoami|cache|version)\b/),
  'downloads',
);
add(
  'kaggle',
  hub('kaggle.com', /^(?:datasets|competitions|kernels) (?:download|list|files|output|status)$/),
  'downloads',
);
add('docker podman', docker, 'containers');

/** Returns the rule for a program; `undefined` if the mandate can never cover the program. */
export const ruleOf = (name: string): Rule | undefined =>
  rules.get(/^(?:python|pip)3?\.\d+$/.test(name) ? name.replace(/3?\.\d+$/, '') : name);
