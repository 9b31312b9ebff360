/** Says which environment an installer changes, as far as its command line shows it. */
import { posix } from 'node:path';
import type { ShellWord } from '../../../shell/shellCommand.ts';
import { programOf } from '../../../shell/wrappers.ts';
import { has, operandsOf, valueOf } from '../../mandate/step.ts';

const changes = /^(?:install|uninstall|remove|update|upgrade|create|add|sync)$/;

/**
 * Returns what a call of pip, uv or conda does, as the rest of a sentence with the environment that
 * it changes; `undefined` for other commands.
 */
export function installReason(words: readonly ShellWord[]): string | undefined {
  const [first, option, module] = words;
  if (first === undefined) return undefined;
  const isModule = /^python[\d.]*$/.test(programOf(first)) && option?.text === '-m';
  const name = isModule ? (module?.text ?? '') : programOf(first);
  const rest = words.slice(isModule ? 3 : 1);
  if (!/^(?:pip[\d.]*|uv|(?:micro)?mamba|conda)$/.test(name)) return undefined;
  const [verb = '', second = ''] = operandsOf(rest).map(({ text }) => text);
  if (!changes.test(verb === 'pip' ? second : verb)) return undefined;
  return `changes packages of ${optionEnvironment(rest) ?? programEnvironment(first, rest)}`;
}

const active = 'the environment that is active there';

/** Returns the environment that an option names. */
function optionEnvironment(rest: readonly ShellWord[]): string | undefined {
  const folder = valueOf(rest, /^(?:-p|-t|--prefix|--target|--root|--python)$/);
  const name = valueOf(rest, /^(?:-n|--name)$/);
  if (folder !== undefined) return folder.spelled;
  return name && `the conda environment ${name.spelled}`;
}

/** Returns the environment to which the program belongs, such as `.venv` for `.venv/bin/pip`. */
function programEnvironment({ text, isDynamic }: ShellWord, rest: readonly ShellWord[]): string {
  if (has(rest, /^--user$/)) return 'the user (--user)';
  if (has(rest, /^(?:--system|--break-system-packages)$/)) return 'the system';
  const [, folder] = isDynamic ? [] : (/^(.+)\/bin\/[^/]+$/.exec(text) ?? []);
  if (folder === undefined) return active;
  return /^\/usr(?:\/local)?$/.test(posix.normalize(folder))
    ? 'the system'
    : `the environment ${folder}`;
}
