/** Checks that installers change only an environment in a folder of the mandate. */
import type { ShellWord } from '../../../shell/shellCommand.ts';
import type { Installer } from '../mandate.ts';
import { argumentOutside, pathOutside } from '../paths.ts';
import {
  firstReason,
  has,
  operandsOf,
  valueOf,
  type Call,
  type Check,
  type Step,
} from '../step.ts';

const advice = 'name one, such as .venv/bin/pip install or uv pip install';
const notOwn = `installs outside an environment of the folders: ${advice}`;
const systemWide =
  /^(?:--user|--system|--break-system-packages|--root|--global|-g|--location=global|--trusted-host.*|--self)$/;

const installerRefusal = (installer: Installer, { mandate }: Step): string | undefined =>
  mandate.installs.includes(installer)
    ? undefined
    : `installs with ${installer}, which the mandate does not grant`;

/**
 * Returns why the mandate does not cover an option or an argument of an installer. The environment
 * into which it installs is checked elsewhere.
 */
const argumentsOutside = ({ rest, step }: Call): string | undefined =>
  has(rest, systemWide) ? notOwn : firstReason(rest, (word) => argumentOutside(word, step));

const inFolder = (folder: ShellWord, step: Step): boolean =>
  pathOutside(folder, 'writes', step) === undefined;

const subcommand = ({ rest }: Call): string => operandsOf(rest)[0]?.text ?? '';

/** Checks `pip`, also called as `python -m pip`. */
export const pip: Check = (call) => {
  const { rest, step } = call;
  const reason = installerRefusal('pip', step) ?? argumentsOutside(call);
  const name = subcommand(call);
  if (reason !== undefined) return reason;
  if (/^(?:list|show|freeze|check|index|debug|inspect|download|wheel|cache|help|)$/.test(name))
    return undefined;
  if (!/^(?:install|uninstall)$/.test(name)) return `runs pip ${name}`;
  const target = valueOf(rest, /^(?:-t|--target|--prefix|--python)$/);
  if (target !== undefined) return inFolder(target, step) ? undefined : notOwn;
  return step.environment === 'own' ? undefined : notOwn;
};

const uvProject = /^(?:sync|add|remove|lock|venv|init|tree|export|build|cache|version|help|)$/;

/** Checks `uv`. The command of `uv run` is checked by the caller. */
export const uv: Check = (call) => {
  const { rest, step } = call;
  const reason = installerRefusal('uv', step) ?? argumentsOutside(call);
  const [first, second] = operandsOf(rest).map(({ text }) => text);
  if (reason !== undefined || uvProject.test(first ?? '')) return reason;
  const target = valueOf(rest, /^(?:-p|--python|--target|--prefix)$/);
  if (first === 'pip')
    return target === undefined || /^[\d.]+$/.test(target.text) || inFolder(target, step)
      ? undefined
      : notOwn;
  const isTool = first === 'tool' && second === 'run';
  const isListing = first === 'python' && /^(?:list|find)$/.test(second ?? '');
  return isTool || isListing ? undefined : `runs uv ${first} ${second ?? ''}`.trimEnd();
};

/**
 * Checks `conda`, `mamba` and `micromamba`. The command of `conda run` is checked by the caller.
 */
export const conda: Check = (call) => {
  const { rest, step } = call;
  const reason = installerRefusal('conda', step) ?? argumentsOutside(call);
  const [first = '', second = ''] = operandsOf(rest).map(({ text }) => text);
  if (reason !== undefined) return reason;
  const isReading =
    /^(?:list|info|search|activate|deactivate|)$/.test(first) ||
    (first === 'env' && /^(?:list|export)$/.test(second));
  if (isReading) return undefined;
  if (!/^(?:install|create|remove|uninstall|update|upgrade|env)$/.test(first))
    return `runs conda ${first}`;
  const prefix = valueOf(rest, /^(?:-p|--prefix)$/);
  return prefix !== undefined && inFolder(prefix, step)
    ? undefined
    : 'changes an environment outside the folders: name one of the folder with -p ./env';
};

/**
 * Checks poetry and pipenv. The environment is not checked, as it is for `pip`: both install into
 * the environment of the project.
 */
export const poetry: Check = (call) => {
  const reason = installerRefusal('poetry', call.step) ?? argumentsOutside(call);
  const name = subcommand(call);
  const isKnown =
    /^(?:install|add|remove|update|lock|sync|show|check|env|new|init|build|graph|)$/.test(name);
  return reason ?? (isKnown ? undefined : `runs ${call.name} ${name}`);
};

const publishCommands = /^(?:deploy|publish|release|upload|push)(?:$|:)/;

/** Checks npm, yarn, pnpm and npx. */
export const npm: Check = (call) => {
  const reason = installerRefusal('npm', call.step) ?? argumentsOutside(call);
  const name = subcommand(call);
  const isKnown =
    call.name === 'npx' ||
    /^(?:install|i|ci|add|remove|uninstall|update|run|run-script|test|t|start|build|exec|ls|list|view|outdated|audit|why|init|dedupe|prune|)$/.test(
      name,
    );
  const isPublishing = operandsOf(call.rest).some(({ text }) => publishCommands.test(text));
  return reason ?? (isKnown && !isPublishing ? undefined : `runs ${call.name} ${name}`);
};
