/** The programs that a mandate can cover, each with its check. */
import type { ShellWord } from '../../shell/shellCommand.ts';
import { innerScripts } from '../commands/unwrap.ts';
import { curl, aria2c, git, hub, wget } from './downloads.ts';
import { conda, npm, pip, poetry, uv } from './installs.ts';
import { argumentOutside, assignmentOutside, codeOutside, pathOutside } from './paths.ts';
import { firstReason, has, isOption, operandsOf, valueOf } from './step.ts';
import type { Check, Rule, Step } from './step.ts';

/** Options whose value is a path that the program writes. */
const output =
  /^--?(?:o|out\w*|output[-\w]*|save[-\w]*|dest[-\w]*|prefix|install[-\w]*|log[-_]?dir|log[-_]file|checkpoint[-_]dir)$/;

const argumentsInside: Check = ({ rest, step }) =>
  firstReason([...rest.entries()], ([at, word]) => {
    const [, option = '', text = ''] = /^(--?[\w-]+)=(.+)$/s.exec(word.spelled) ?? [];
    const isValue = output.test(rest[at - 1]?.text ?? '') && !isOption(word);
    const written = output.test(option) ? { ...word, text, spelled: text } : word;
    const isWritten = isValue || written !== word;
    return (
      argumentOutside(word, step) ??
      (isWritten && /^(?:[/~]|\.\.)/.test(written.text)
        ? pathOutside(written, 'writes', step)
        : undefined)
    );
  });

/** Values of options that are paths: `--dir=PATH` and `-CPATH`. */
const attached = ({ text }: ShellWord): string | undefined =>
  /^--[\w-]+=(.+)$/s.exec(text)?.[1] ?? /^-[A-Za-z]((?:~|\.\.)?\/.*)$/s.exec(text)?.[1];

const optionPaths = (rest: readonly ShellWord[]): readonly ShellWord[] =>
  rest.filter(isOption).flatMap((word) => {
    const text = attached(word);
    return text === undefined ? [] : [{ ...word, text, spelled: text }];
  });

/** Every operand is a path that is changed. */
const changes: Check = ({ rest, step }) =>
  firstReason([...operandsOf(rest), ...optionPaths(rest)], (word) =>
    pathOutside(word, 'writes', step),
  );
const removes: Check = ({ rest, step }) =>
  firstReason(operandsOf(rest), (word) => pathOutside(word, 'removes', step));

/** The last operand, or the value of `-t`, is changed; the others are read. */
const copies: Check = ({ name, rest, step }) => {
  const target = valueOf(rest, /^(?:-[A-Za-z]*t|--target-directory)$/);
  const operands = operandsOf(rest);
  if (name === 'rsync' && operands.some(({ text }) => /^[^/]*:/.test(text)))
    return 'copies to or from another host';
  if (has(rest, /^(?:-e|--rsh|--rsync-path)/)) return 'starts another program';
  return (
    firstReason([...(target ? [target] : operands.slice(-1)), ...optionPaths(rest)], (word) =>
      pathOutside(word, 'writes', step),
    ) ?? firstReason(operands, (word) => pathOutside(word, 'reads', step))
  );
};

const tar: Check = (call) => {
  const { rest, step } = call;
  if (
    has(
      rest,
      /^--(?:to-command|checkpoint-action|rsh-command|use-compress-program|absolute-names|info-script|new-volume-script)|^-[A-Za-z]*[IPF]/,
    )
  )
    return 'starts another program, or writes by absolute names';
  const [first] = rest;
  const letters = first?.text.replace(/^-*/, '') ?? '';
  const words = operandsOf(first !== undefined && !isOption(first) ? rest.slice(1) : rest);
  const isWriting = /[xru]/.test(letters) || has(rest, /^--(?:extract|append)/);
  const archive = words.slice(0, 1);
  return (
    (isWriting ? firstReason(words, (word) => pathOutside(word, 'reads', step)) : undefined) ??
    firstReason([...(isWriting ? [] : archive), ...optionPaths(rest)], (word) =>
      pathOutside(word, 'writes', step),
    ) ??
    firstReason(
      [valueOf(rest, /^(?:-C|--directory)$/)].flatMap((word) => word ?? []),
      (word) => pathOutside(word, isWriting ? 'writes' : 'reads', step),
    ) ??
    firstReason(words.slice(1), (word) => pathOutside(word, 'reads', step))
  );
};

const sed: Check = (call) => {
  const { rest, step } = call;
  const hasScript = has(rest, /^(?:-[nErsuz]*e|--expression|-f|--file)/);
  const scripts = hasScript
    ? rest.filter((_word, at) => /^-[nErsuz]*e$/.test(rest[at - 1]?.text ?? ''))
    : operandsOf(rest).slice(0, 1);
  if (scripts.some(({ text }) => /(?:^|[;{}\n\d$/])\s*[wWeFrR]\s+\S|\/[gpiI\d]*[we]\b/.test(text)))
    return 'runs a script of sed that may write files or run commands';
  const files = operandsOf(rest).filter((word) => !scripts.includes(word));
  return firstReason(files, (word) =>
    pathOutside(word, has(rest, /^-[nErsuz]*i|^--in-place/) ? 'writes' : 'reads', step),
  );
};

const dd: Check = ({ rest, step }) =>
  firstReason(rest, (word) => {
    const [, option, text = ''] = /^(if|of)=(.+)$/.exec(word.spelled) ?? [];
    if (option === undefined || /^\/dev\/(?:zero|u?random)$/.test(text)) return undefined;
    return pathOutside(
      { ...word, text, spelled: text },
      option === 'of' ? 'writes' : 'reads',
      step,
    );
  });

const make: Check = (call) => {
  const target = operandsOf(call.rest).find(({ text }) =>
    /^(?:.*install|deploy|publish|push|release|upload)$/.test(text),
  );
  const isInside = call.rest.some(({ text }) => /^(?:DESTDIR|PREFIX|prefix)=/.test(text));
  return target !== undefined && !isInside ? `makes ${target.text}` : argumentsInside(call);
};

const except =
  (subcommands: RegExp): Check =>
  (call) => {
    const words = call.rest.map(({ text }) => text).join(' ');
    return subcommands.test(words) ? `runs ${call.name} ${words}` : argumentsInside(call);
  };

/** Options whose value is code, by interpreter. */
const codeOption =
  /^(?:-[bBdEiIOqsSuvx]*c|-[nplaiwW\d]*[eEr]|--eval|--print|-p|--execute|--command)$/;

/** Checks an interpreter with code, a module or a script. */
export const interpreter: Check = (call) => {
  const { rest, step, command } = call;
  const at = rest.findIndex(
    (word) => !isOption(word) || codeOption.test(word.text) || word.text === '-m',
  );
  const first = rest[at];
  const after = rest.slice(at + 1);
  const piped = first === undefined || first.text === '-' ? innerScripts(command) : [];
  const input = firstReason([command.input, ...piped], (code) => codeOutside(code, step));
  if (input !== undefined || first === undefined) return input;
  if (first.text === '-m') return moduleOutside({ ...call, rest: after });
  if (isOption(first))
    return (
      codeOutside(after[0]?.spelled ?? '', step) ??
      firstReason(after.slice(1), (word) => argumentOutside(word, step))
    );
  if (first.text === 'setup.py' && has(after, /^(?:install|develop|upload|register)$/))
    return 'installs with setup.py: use pip of an environment of the folder';
  return (
    (first.text === '-' ? undefined : pathOutside(first, 'reads', step)) ??
    firstReason(after, (word) => argumentOutside(word, step))
  );
};

const moduleOutside: Check = (call) => {
  const [module, ...rest] = call.rest;
  const inner = { ...call, rest };
  switch (module?.text) {
    case 'pip':
      return pip(inner);
    case 'venv':
    case 'virtualenv':
      return changes(inner);
    case 'ensurepip':
      return 'installs pip outside an environment of the folders';
    case 'http.server':
      return has(rest, /^(?:127\.0\.0\.1|localhost)$/) ? undefined : serves;
    default:
      return argumentsInside(inner);
  }
};

const awk: Check = ({ rest, step }) => {
  const [script] = operandsOf(rest).filter(
    (_word, at, all) => !/^-[Fv]$/.test(rest[rest.indexOf(all[at] ?? _word) - 1]?.text ?? ''),
  );
  if (/\bsystem\b|\bgetline\b|["']\s*\||\|\s*["']|>\s*["'$(]/.test(script?.text ?? ''))
    return 'runs a script of awk that may write files or run commands';
  return firstReason(
    rest.filter((word) => word !== script),
    (word) => argumentOutside(word, step),
  );
};

const serves = 'serves to other hosts: bind it to 127.0.0.1';
const server: Check = (call) =>
  has(call.rest, /^--(?:bind_all|host=?(?!127|localhost)|ip=?(?!127|localhost))|^0\.0\.0\.0$/)
    ? serves
    : argumentsInside(call);

const dockerOptions =
  /^(?:-(?:it?|ti?|w|e|u|m)|--(?:rm|init|gpus|volume|workdir|env|user|name|shm-size|ipc|memory|cpus|entrypoint|platform|pull|ulimit|tag|file|target|build-arg|progress|no-cache|quiet|mount|network|read-only|tmpfs|interactive|tty)|-[tfqv])(?:=.*)?$/;

const docker: Check = ({ rest, step }) => {
  const [first] = operandsOf(rest);
  const name = first?.text ?? '';
  if (!/^(?:run|build)$/.test(name)) return `runs docker ${name}`;
  const unknown = rest.slice(1).find((word) => isOption(word) && !dockerOptions.test(word.text));
  if (unknown !== undefined && (name === 'build' || rest.indexOf(unknown) < imageAt(rest)))
    return `runs a container with ${unknown.text}`;
  const network = valueOf(rest, /^--network$/)?.text ?? 'none';
  if (!/^(?:none|bridge)$/.test(network)) return `runs a container in the network ${network}`;
  const mounts = rest.flatMap((word, at) => {
    const [, value] = /^(?:--volume|--mount|-v)=(.+)$/.exec(word.text) ?? [];
    if (value !== undefined) return [{ ...word, text: value, spelled: value }];
    return /^(?:-v|--volume|--mount)$/.test(rest[at - 1]?.text ?? '') ? [word] : [];
  });
  return (
    firstReason(mounts, (word) => mountOutside(word, step)) ??
    (name === 'build' ? firstReason(rest, (word) => argumentOutside(word, step)) : undefined)
  );
};

function mountOutside(word: ShellWord, step: Step): string | undefined {
  const words = step.variables.resolve(word);
  if (words === undefined) return `mounts a path that only the shell knows: ${word.spelled}`;
  return firstReason(words, (each) => {
    const text = each.text.replace(/^.*?(?:source|src)=/, '').split(/[:,]/)[0] ?? '';
    // A plain name is a volume of Docker.
    return /^[\w-]+$/.test(text)
      ? undefined
      : pathOutside({ ...each, text, spelled: text }, 'writes', step);
  });
}

/** Returns the place of the image, after which the words are the command in the container. */
const imageAt = (rest: readonly ShellWord[]): number =>
  rest.findIndex(
    (word, at) =>
      at > 0 &&
      !isOption(word) &&
      !(isOption(rest[at - 1] ?? word) && takesValue.test(rest[at - 1]?.text ?? '')),
  );
const takesValue =
  /^(?:-[wevum]|--(?:gpus|volume|workdir|env|user|name|shm-size|ipc|memory|cpus|entrypoint|platform|ulimit|mount|network|tmpfs|pull))$/;

const kill: Check = ({ name, rest, step }) => {
  const targets = operandsOf(rest).filter(({ text }) => !/^[A-Z]+$/.test(text));
  const isOwn = targets.every((word) => step.variables.isProcess(word) || /^%\d+$/.test(word.text));
  return name === 'kill' && isOwn && targets.length > 0
    ? undefined
    : 'ends processes that may not be of this command: use kill_task for runs';
};

const assigns: Check = ({ name, rest, step }) => {
  if (
    rest.length === 0 ||
    (name === 'set' && !rest.every((word) => /^[-+]|^pipefail$/.test(word.text)))
  )
    return 'shows or sets the environment';
  return firstReason(
    rest.filter((word) => word.spelled.includes('=')),
    (word) => assignmentOutside(word, step),
  );
};

/** Checks a program that reads. A word that only the shell knows may be a text. */
const reads: Check = ({ name, rest, step }) => {
  if (/^(?:sort|uniq|xxd|shuf)$/.test(name) && has(rest, /^-[a-z]*o|^--output/))
    return 'writes its output by an option: use > instead';
  const words = rest.flatMap((word) => step.variables.resolve(word) ?? []);
  return firstReason(
    words.filter(({ text }) => /^[/~]|(?:^|\/)\.\.(?:\/|$)/.test(text)),
    (word) => pathOutside(word, 'reads', step),
  );
};

const rules = new Map<string, Rule>();
const add = (names: string, check: Check, grantedBy?: Rule['grantedBy']): void => {
  for (const name of names.split(' ')) rules.set(name, { check, ...(grantedBy && { grantedBy }) });
};

add('export local declare readonly set', assigns);
add(
  'unset read wait exit return shift break continue shopt umask hash : true false deactivate fg jobs ulimit mktemp module ml',
  argumentsInside,
);
add('kill pkill killall', kill);
add(
  'cat tac head tail wc cut sort uniq grep egrep fgrep zgrep rg zcat diff cmp comm join paste ls tree du df stat file realpath readlink md5sum sha1sum sha256sum test [ [[ basename dirname tr jq column nl od hexdump xxd strings seq expr shuf ffprobe nvcc-smi',
  reads,
);
add('echo printf sleep', argumentsInside);
add(
  'mkdir rmdir touch tee truncate chmod gzip gunzip bzip2 bunzip2 xz unxz zstd unzstd pigz lz4 split csplit patch',
  changes,
  'files',
);
add('zip unzip 7z', changes, 'files');
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
  'gcc g++ cc c++ clang clang++ nvcc rustc javac ar ld tsc pytest py.test tox nox ruff black isort mypy flake8 pylint pyright yapf eslint prettier coverage doctest ffmpeg sox convert identify pandoc pdflatex latexmk xelatex bibtex dot gnuplot pdftotext sqlite3 cython swig bazel meson tokei cloc shellcheck jsonlint yamllint nm objdump ldd',
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

/** Returns the rule of a program; `undefined` if no mandate can cover it by a class. */
export const ruleOf = (name: string): Rule | undefined =>
  rules.get(/^(?:python|pip)3?\.\d+$/.test(name) ? name.replace(/3?\.\d+$/, '') : name);
