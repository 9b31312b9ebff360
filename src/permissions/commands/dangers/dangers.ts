/** Recognizes the commands that are refused in every permission mode. */
import type { ShellCommand, ShellWord } from '../../../shell/shellCommand.ts';
import { programOf } from '../../../shell/wrappers.ts';
import { isProcessLink, judgeWrite, namesKey, pathsOf } from '../paths/operand.ts';
import type { Spot } from '../paths/place.ts';
import { refusedProgram } from './refusedPrograms.ts';
import { removalOf } from './removals.ts';
import { isStream } from '../paths/systemPaths.ts';
import { findRoots } from '../files/findRoots.ts';
import { readsTree } from '../files/trees.ts';
import { denies, isFirm, safe, strictest, type Verdict } from '../verdicts/verdict.ts';

const wordsOf = (text: string): ReadonlySet<string> => new Set(text.split(' '));
const fetchers = wordsOf('curl wget fetch aria2c http https lynx w3m nc ncat netcat socat telnet');
const senders = wordsOf(
  'curl wget nc ncat netcat socat telnet scp sftp rsync ftp lftp rclone ssh http https aws ' +
    'gsutil gcloud az huggingface-cli hf wandb mail sendmail mutt gh glab',
);
const interpreters =
  /^(?:(?:ba|da|z|k|a|c|tc|fi)?sh|busybox|eval|source|\.|python[\d.]*|ipython|perl|ruby|node|deno|bun|php|lua|Rscript|julia|xargs|parallel|awk|gawk)$/;
const changers = wordsOf(
  'rm mv cp tee touch ln install dd truncate chmod chown chgrp rmdir mkdir shred unlink sed ' +
    'patch rsync sponge setfacl chattr curl wget',
);
const keyUsers = wordsOf('ssh scp sftp rsync mosh autossh ssh-add ssh-copy-id');
const editors = wordsOf('code code-insiders codium code-server cursor windsurf');
const runningSettings =
  /^(?:alias\..*|core\.(?:hookspath|sshcommand|pager|editor|fsmonitor|gitproxy|askpass|attributesfile)|credential\..*|filter\..*|diff\..*|difftool\..*|merge\..*|mergetool\..*|pager\..*|gpg\..*|include(?:if)?\..*|sequence\.editor|init\.templatedir|protocol\..*|url\..*|uploadpack\..*|http\.proxy|remote\..*)$/i;

/**
 * Returns a denial or question that applies in every mode, or `safe` if the command needs neither.
 */
export function dangerOf(command: ShellCommand, spot: Spot): Verdict {
  const name = programOf(command.words[0]);
  const rest = command.words.slice(1);
  const refuse = (reason: string): Verdict => denies(reason, spot.part);
  const refusal = refusedProgram(command.words[0], rest);
  if (refusal !== undefined) return refuse(refusal);
  if (runsDownload(name, command)) return refuse('runs what the network sends');
  if (runsEncoded(name, command)) return refuse('runs text that another command decodes');
  if (opensShell(name, command)) return refuse('gives a shell to another host');
  if (sendsSecrets(name, command, spot)) return refuse('sends secrets to another host');
  if (editors.has(name) && rest.some(({ text }) => text.startsWith('--install-extension')))
    return refuse('installs an extension');
  if (name === 'crontab' && !rest.some(({ text }) => text === '-l'))
    return refuse('writes what the system starts');
  if (name === 'git' && setsProgram(rest)) return refuse('sets a program that git runs');
  return strictest([
    readsKeys(name, command, spot),
    readsTree(name, command, spot),
    changeDanger(command, spot),
  ]);
}

/** Returns the same for what the command removes and writes. */
export function changeDanger({ words: [first, ...rest] }: ShellCommand, spot: Spot): Verdict {
  const name = programOf(first);
  return strictest([removalOf(name, rest, spot), writesProtected(name, rest, spot)]);
}

const isFetch = ({ words }: ShellCommand): boolean => fetchers.has(programOf(words[0]));

/**
 * Returns true if the command runs a download: a shell or interpreter that gets the output of
 * `curl` and the like. A program whose name is known only to the shell, such as `$SHELL`, is
 * treated as a shell.
 */
const runsDownload = (name: string, { sources = [], words }: ShellCommand): boolean =>
  (interpreters.test(name) || words[0]?.isDynamic === true) &&
  sources.some(
    (source) => isFetch(source) || source.words.some(({ text }) => fetchers.has(text)),
  ) &&
  // Except a script file that gets the download as input (`curl … | python3 parse.py`): the
  // download is not run.
  !(words.length > 1 && /\.(?:py|js|ts|rb|pl|R|jl|sh)$/.test(words[1]?.text ?? ''));

const decoders = wordsOf('base64 base32 xxd uudecode openssl rev');

const runsEncoded = (name: string, { sources = [] }: ShellCommand): boolean =>
  /^(?:(?:ba|da|z|k|a)?sh|eval|source|\.)$/.test(name) &&
  sources.some(({ words }) => decoders.has(programOf(words[0])));

function opensShell(
  name: string,
  { words, redirections, sources = [], input }: ShellCommand,
): boolean {
  const texts = [...words.map(({ spelled }) => spelled), input];
  if (
    [...texts, ...redirections.map(({ target }) => target.text)].some((text) =>
      /\/dev\/(?:tcp|udp)\//.test(text),
    )
  )
    return true;
  if (/^(?:nc|ncat|netcat)$/.test(name))
    return (
      words.some(({ text }) => /^-[a-z]*[ec]$|^--(?:exec|sh-exec|lua-exec)/.test(text)) ||
      sources.some((source) => /^(?:ba|da|z|k|a)?sh$/.test(programOf(source.words[0])))
    );
  if (name === 'socat') return texts.some((text) => /\b(?:EXEC|SYSTEM|SHELL):/i.test(text));
  return (
    interpreters.test(name) &&
    texts.some(
      (text) =>
        /\bsocket\b/i.test(text) &&
        /dup2|\bpty\b|\/bin\/(?:ba|da|z)?sh|subprocess|child_process/.test(text),
    )
  );
}

const secretName = /\$\{?\w*(?:KEY|TOKEN|SECRET|PASSW|CREDENTIAL)\w*/i;
const environment = wordsOf('env printenv set export declare');

function sendsSecrets(name: string, command: ShellCommand, spot: Spot): boolean {
  if (!senders.has(name)) return false;
  const { words, redirections, sources = [] } = command;
  const own = words.slice(1).filter((_word, index, all) => !isIdentity(all, index));
  const files = [...own.flatMap(fileNames), ...redirections.map(({ target }) => target)];
  return (
    files.some((word) => isSecretFile(word, spot)) ||
    own.some(({ spelled }) => secretName.test(spelled)) ||
    sources.some((source) => readsSecrets(source, spot))
  );
}

const readsSecrets = ({ words, redirections }: ShellCommand, spot: Spot): boolean =>
  (environment.has(programOf(words[0])) && words.length <= 2) ||
  words.some(({ spelled }) => secretName.test(spelled)) ||
  [...words.slice(1), ...redirections.map(({ target }) => target)].some((word) =>
    isSecretFile(word, spot),
  );

/**
 * Returns true for a key after `-i` or `IdentityFile=`: ssh uses this key, but does not send it.
 */
const isIdentity = (words: readonly ShellWord[], index: number): boolean =>
  words[index - 1]?.text === '-i' || /IdentityFile=/i.test(words[index]?.text ?? '');

/** Returns the words that may name a file in `@FILE`, `name=@FILE`, `--option=FILE` and `FILE`. */
function fileNames(word: ShellWord): readonly ShellWord[] {
  const [, name] =
    /^(?:[^@=]*=)?@(.+)$/.exec(word.text) ?? /^--?[\w-]+=(.+)$/.exec(word.text) ?? [];
  return name === undefined ? [word] : [word, { ...word, text: name, spelled: name }];
}

function isSecretFile(word: ShellWord, spot: Spot): boolean {
  const paths = pathsOf(word, spot) ?? [`/${word.text}`];
  return paths
    .flatMap((path) => [path, spot.place.realPath(path) ?? path])
    .some((path) => spot.place.rules.isKey(path) || spot.place.rules.isPrivate(path));
}

/** Settings of a single repository that name a program to run, or a file with further settings. */
const programs =
  /^(?:core\.(?:hookspath|sshcommand|pager|editor|fsmonitor|gitproxy|askpass)|credential\.(?:.*\.)?helper|filter\..*|diff\.(?:external|.*\.(?:command|textconv))|difftool\..*|merge\..*\.driver|mergetool\..*|gpg\.(?:.*\.)?program|include(?:if)?\..*|sequence\.editor|protocol\..*|uploadpack\..*)$/i;

/**
 * Returns true if the call of `git config` sets a program that git runs. Without a value, git only
 * shows the setting.
 */
function setsProgram(rest: readonly ShellWord[]): boolean {
  const isEverywhere = rest.some(({ text }) => text === '--global' || text === '--system');
  const names = isEverywhere ? runningSettings : programs;
  const at = rest.findIndex(
    ({ text }, index) =>
      names.test(text) ||
      (/^alias\./i.test(text) && rest[index + 1]?.text.startsWith('!') === true),
  );
  const isRead = rest.some(({ text }) => /^--(?:get|list|unset)/.test(text));
  const isWritten = at >= 0 && at < rest.length - 1 && !isRead;
  return isWritten && rest.some(({ text }) => text === 'config');
}

/** Matches a substitution that shows where the folder or the program of a process is. */
const linkCall = /\$\(readlink (?:-\w+ )?"?\/proc\/(?:\d+|self|\$\w+|\$\{\w+\})\/(?:cwd|exe)"?\)/g;

/**
 * Denies a command if one of its words, or a path in its input (such as a script), names a key or
 * the environment of a process.
 */
function readsKeys(name: string, { words, input }: ShellCommand, spot: Spot): Verdict {
  const isKeyPath = (path: string): boolean => spot.place.rules.isKey(path);
  const isUser = keyUsers.has(name);
  const run = name === 'xargs' ? words.slice(1).find(({ text }) => /^[a-z]/.test(text)) : undefined;
  const readsLinks = (run?.text ?? name) === 'readlink';
  const operands = words
    .slice(1)
    .filter((_word, index, all) => !(isUser && isIdentity(all, index)))
    .filter((word) => !readsLinks || !isProcessLink(word));
  const tokens = [...operands.map(({ spelled }) => spelled.replace(linkCall, '')), input]
    .flatMap((text) => text.split(/[\s'"()=,;@]+/))
    .filter((token) => token.includes('/') || token.startsWith('~'));
  const { place } = spot;
  const word = operands.find((each) => {
    const paths = pathsOf(each, spot);
    return paths === undefined
      ? namesKey(each, place)
      : paths.some(
          (path) => !isStream(path) && [path, place.realPath(path) ?? path].some(isKeyPath),
        );
  });
  const token = tokens.find((each) => isKeyPath(each.replace(/^~/, place.home)));
  const key = word?.spelled ?? token;
  return key === undefined
    ? safe
    : denies(`reads keys or the environment of a process (${key})`, spot.part);
}

function writesProtected(name: string, rest: readonly ShellWord[], spot: Spot): Verdict {
  const files = changedOperands(name, rest)
    .filter(({ text }) => !text.startsWith('-'))
    .flatMap(targets);
  const verdicts = files.map((word) => judgeWrite(word, spot));
  return strictest(verdicts.filter(isFirm));
}

/** Returns the arguments that may name files which the program changes. */
function changedOperands(name: string, rest: readonly ShellWord[]): readonly ShellWord[] {
  const has = (option: RegExp): boolean => rest.some(({ text }) => option.test(text));
  if (name === 'find') return has(/^-delete$/) ? findRoots(rest) : [];
  if (!changers.has(name) || (name === 'sed' && !has(/^-[a-zA-Z]*i|^--in-place/))) return [];
  // The other operands of rsync are only read.
  return name === 'rsync' ? rest.slice(-1) : rest;
}

/**
 * Returns the files that an operand names: also `FILE` of `of=FILE` (dd) and
 * `--target-directory=FILE`.
 */
const targets = (word: ShellWord): readonly ShellWord[] => {
  const [, name] = /^(?:if|of|--target-directory)=(.+)$/.exec(word.text) ?? [];
  if (word.text.startsWith('if=')) return [];
  return [name === undefined ? word : { ...word, text: name, spelled: name }];
};
