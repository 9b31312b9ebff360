/** Checks the paths, addresses and code in the words of a command. */
import { posix } from 'node:path';
import type { ShellCommand, ShellWord } from '../../shell/shellCommand.ts';
import { isWithin, pathsOf } from '../commands/paths/operand.ts';
import { isSystemPath } from '../commands/paths/systemPaths.ts';
import { isGrantedHost, type MachineMandate } from './mandate.ts';
import { firstReason, type Step } from './step.ts';

/**
 * How a command uses a path. `names`: the path is an argument, and what the program does with it is
 * not known; checked like `reads`.
 */
type Use = 'reads' | 'names' | 'writes' | 'removes';

const streams = /^\/dev\/(?:null|std(?:in|out|err)|tty|fd\/\d+)$/;

/**
 * Returns why the mandate does not cover this use of the path that the word names, as the rest of a
 * sentence; `undefined` if it does.
 */
export function pathOutside(word: ShellWord, use: Use, step: Step): string | undefined {
  const words = step.variables.resolve(word);
  if (words === undefined) {
    const advice = word.isSplit ? '; if it is a value of a loop, quote it' : '';
    return `${use} a path that only the shell knows: ${word.spelled}${advice}`;
  }
  return firstReason(words, (each) => {
    if (each.text === '-') return undefined;
    const folder = patternFolder(each);
    const paths = pathsOf(each, step.spot);
    const folders = folder === undefined ? [] : pathsOf(folder, step.spot);
    if (paths === undefined || folders === undefined) return `${use} an unclear path: ${each.text}`;
    const isAll = use === 'removes' && /(?:^|\/)\*$/.test(each.text);
    return (
      firstReason(folders, (path) => outside(path, isAll ? 'removes' : 'reads', step)) ??
      firstReason(paths, (path) => outside(path, use, step))
    );
  });
}

/**
 * Returns the folder in which the shell looks for matches of a pattern; `undefined` for other
 * words.
 */
function patternFolder(word: ShellWord): ShellWord | undefined {
  if (!word.isDynamic) return undefined;
  const text = posix.dirname(word.text.replace(/[*?].*$/s, 'x'));
  return { ...word, text, spelled: text, isDynamic: false };
}

function outside(path: string, use: Use, { spot, mandate }: Step): string | undefined {
  const real = spot.place.realPath(path);
  if (streams.test(path)) return undefined;
  if (real === undefined) return `${use} ${path}, which cannot be resolved`;
  if (use === 'reads' || use === 'names')
    return isSystemPath(path) || inAny([...mandate.folders, ...mandate.reads], real)
      ? undefined
      : `${use} ${path}`;
  const rule = [path, real].flatMap(
    (each) => spot.place.rules.useOf(each, 'write', 'commands') ?? [],
  );
  if (rule[0] !== undefined) return `${use} ${rule[0].content}: ${path}`;
  if (!inAny(mandate.folders, real))
    return `${use} ${path}${use === 'writes' ? `: ${writeAdvice(mandate)}` : ''}`;
  return use === 'removes' && mandate.folders.includes(real) ? `removes all of ${path}` : undefined;
}

/** Returns where the agent can write instead: `write below /w or /tmp`. */
export const writeAdvice = ({
  folders: [first, ...others],
}: Pick<MachineMandate, 'folders'>): string =>
  `write below ${[first ?? 'a folder of the mandate', ...others.filter((each) => each === '/tmp')].join(' or ')}`;

const inAny = (folders: readonly string[], path: string): boolean =>
  folders.some((folder) => isWithin(folder, path));

/**
 * Matches the usual folders at the root of a file system. Other texts that begin with a slash are
 * seldom paths.
 */
const roots =
  /^\/(?:bin|boot|data\d*|datasets?|dev|etc|export|gpfs|home|lib|lustre|media|mnt|nfs|opt|private|proc|projects?|root|run|sbin|scratch\d*|shared|srv|storage|sys|tmp|usr|var|work|workspace|Applications|Library|System|Users|Volumes)(?:\/|$)/;

const isPathLike = (text: string): boolean =>
  roots.test(text) || /^~(?:\/|$)|^\.\.(?:\/|$)|\/\.\.(?:\/|$)/.test(text);

/**
 * Returns why the mandate does not cover an argument of a program: it holds a path or an address
 * that is not granted. Of an argument that only the shell can resolve, only the known text is
 * checked.
 */
export function argumentOutside(word: ShellWord, step: Step): string | undefined {
  const words = step.variables.resolve(word) ?? [word];
  return firstReason(words, (each) => {
    const { text } = each;
    if (/^(?:--?[\w-]+=)?[\w.-]+@[\w.-]+:/.test(text)) return `names another host: ${text}`;
    if (/\s/.test(text)) return codeOutside(text, step);
    const [, value] = /^[\w.+-]+=(.+)$/s.exec(text) ?? [];
    const parts = [text, ...(value === undefined ? [] : [value])].flatMap((part) =>
      part.includes('://') ? [] : [part, ...part.split(/[:,]/)],
    );
    return (
      addressOutside(text, step) ??
      firstReason(parts.filter(isPathLike), (path) => pathOutside(plain(path), 'names', step))
    );
  });
}

const plain = (text: string): ShellWord => ({
  text,
  spelled: text,
  isDynamic: false,
  isQuoted: false,
});

const address = /\b([a-z][a-z0-9+.-]*):\/\/([^\s"'`/?#)\\]*)/gi;
/** Matches the schemes of addresses that name no host. */
const local = /^(?:sqlite|file|hf|unix|memory|env|ipc)$/i;

/**
 * Returns which address in the text the mandate does not grant, as the rest of a sentence;
 * `undefined` if it grants all.
 */
export const addressOutside = (text: string, { mandate }: Step): string | undefined =>
  firstReason([...text.matchAll(address)], ([, scheme = '', host = '']) => {
    const isGranted = /^(?:s3|gs|az|hdfs|adl|wasbs?)$/i.test(scheme)
      ? false
      : local.test(scheme) || host === '' || isGrantedHost(host, mandate.hosts);
    return isGranted ? undefined : `contacts ${scheme}://${host}, which is no host of the mandate`;
  });

const startsPrograms =
  /\b(?:system|popen|Popen|subprocess|pty|spawn\w*|exec[lv]p?e?|child_process|run|call|check_(?:call|output)|getoutput|qx|shell)\b/;
const outsidePrograms =
  /\b(?:ssh|scp|sftp|rsync|sudo|crontab|systemctl|docker|nsenter|chroot)\b|\bgit\b[\s"',[\]]*\bpush\b|\bpkill\b|\bkillall\b/;
/** Modules that can send data to any host. */
const sockets = /\bsmtplib\b|\bftplib\b|\bparamiko\b|\bfabric\b/;

/**
 * Returns why the mandate does not cover code in a command: the code names a path or an address
 * that is not granted, starts programs that act outside the folders, sends to other hosts, or
 * leaves a process running. Other effects are not seen: the mandate is no sandbox.
 */
export function codeOutside(code: string, step: Step): string | undefined {
  if (startsPrograms.test(code) && outsidePrograms.test(code))
    return 'runs code that starts programs which reach out of the folders';
  if (sockets.test(code)) return 'runs code that sends to other hosts';
  if (/\bstart_new_session\b|\bsetsid\b|\bnohup\b|\bdetached\b/.test(code))
    return 'runs code that leaves a process running';
  if (/\bPath\.home\(/.test(code)) return 'runs code that uses the home folder';
  const strings = code
    .replace(/\$(?:HOME\b|\{HOME\})/g, '~')
    .replace(address, ' ')
    .split(/[\s"'`()<>|;&,=:@{}\\[\]]+/)
    .filter(isPathLike)
    .map((text) => text.replace(/[.,]+$/, ''));
  return (
    addressOutside(code, step) ??
    firstReason(strings, (text) => pathOutside(plain(text), 'names', step))
  );
}

/** Matches the variables that change which programs or hosts other programs use. */
const steeringVariables =
  /^(?:BASH_ENV|ENV|IFS|PS4|PROMPT_COMMAND|SHELLOPTS|HOME|GIT_\w+|SSH_\w+|\w*_PROXY|PYTHONSTARTUP|PYTHONHOME|PERL5OPT|RUBYOPT|NODE_OPTIONS|\w*TOKEN|\w*_KEY)$/i;

/** Matches the variables that name folders from which every program may load code. */
const loading = /^(?:PATH|LD_(?:PRELOAD|LIBRARY_PATH|AUDIT)|DYLD_\w+)$/;

/** Returns why `for`, `read` and the like may not set a variable; `undefined` if they may. */
export const settingOutside = ({ text }: ShellWord): string | undefined =>
  steeringVariables.test(text) || loading.test(text) ? `sets ${text}` : undefined;

/** Returns true if the value names a folder in which the agent may write, or that is not known. */
function namesOwn(key: string, value: string, step: Step): boolean {
  const before = new RegExp(`^\\$(?:${key}|\\{${key}\\})$`);
  return value
    .replace(/\$\{(\w+):?\+:\$(?:\1|\{\1\})\}/g, ':$$$1')
    .split(/[: ]/)
    .some((part) => !before.test(part) && !isSystemFolder(part, step));
}

const isSystemFolder = (part: string, step: Step): boolean =>
  /^\/[^$`]*$/.test(part) &&
  pathOutside(plain(part), 'writes', step) !== undefined &&
  pathOutside(plain(part), 'reads', step) === undefined;

/** Returns why the mandate does not cover the assignment `NAME=value`; `undefined` if it does. */
export function assignmentOutside(word: ShellWord, step: Step): string | undefined {
  const [, key = '', value = ''] = /^(\w+)\+?=(.*)$/s.exec(word.spelled) ?? [];
  if (steeringVariables.test(key)) return `sets ${key}`;
  if (loading.test(key) && !step.mandate.commands.includes('scripts') && namesOwn(key, value, step))
    return `sets ${key} to a folder of the mandate, which grants no commands of the class scripts`;
  const parts = value.split(':').filter((part) => part !== '' && !/^\$\{?\w+\}?$/.test(part));
  return value.includes('://')
    ? addressOutside(value, step)
    : firstReason(parts.filter(isPathLike), (path) => pathOutside(plain(path), 'names', step));
}

/**
 * Returns why the mandate does not cover a redirection of the command, or an assignment before it;
 * `undefined` if it covers all.
 */
export const surroundingsOutside = (
  { assignments, redirections }: ShellCommand,
  step: Step,
): string | undefined =>
  firstReason(assignments, (word) => assignmentOutside(word, step)) ??
  firstReason(redirections, ({ sign, target }) =>
    /^\d*[<>]&\d*$/.test(sign) && /^(?:\d+|-)$/.test(target.text)
      ? undefined
      : pathOutside(target, sign.includes('>') ? 'writes' : 'reads', step),
  );
