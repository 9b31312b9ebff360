/** Checks interpreters with code, a module or a script. */
import { innerScripts } from '../../commands/structure/runners.ts';
import { argumentOutside, codeOutside, pathOutside } from '../paths.ts';
import { firstReason, has, isOption, operandsOf, type Check } from '../step.ts';
import { argumentsInside } from './arguments.ts';
import { changes } from './files.ts';
import { pip } from './installs.ts';
import { serves } from './tools.ts';

/** Options whose value is code, of all interpreters. */
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

export const awk: Check = ({ rest, step }) => {
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
