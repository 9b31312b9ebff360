/** Checks build tools, servers and builtins of the shell. */
import { assignmentOutside } from '../paths.ts';
import { firstReason, has, operandsOf, type Check } from '../step.ts';
import { argumentsInside } from './arguments.ts';

export const make: Check = (call) => {
  const target = operandsOf(call.rest).find(({ text }) =>
    /^(?:.*install|deploy|publish|push|release|upload)$/.test(text),
  );
  const isInside = call.rest.some(({ text }) => /^(?:DESTDIR|PREFIX|prefix)=/.test(text));
  return target !== undefined && !isInside ? `makes ${target.text}` : argumentsInside(call);
};

export const except =
  (subcommands: RegExp): Check =>
  (call) => {
    const words = call.rest.map(({ text }) => text).join(' ');
    return subcommands.test(words) ? `runs ${call.name} ${words}` : argumentsInside(call);
  };

export const serves = 'serves to other hosts: bind it to 127.0.0.1';
export const server: Check = (call) =>
  has(call.rest, /^--(?:bind_all|host=?(?!127|localhost)|ip=?(?!127|localhost))|^0\.0\.0\.0$/)
    ? serves
    : argumentsInside(call);

export const kill: Check = ({ name, rest, step }) => {
  const targets = operandsOf(rest).filter(({ text }) => !/^[A-Z]+$/.test(text));
  const isOwn = targets.every((word) => step.variables.isProcess(word) || /^%\d+$/.test(word.text));
  return name === 'kill' && isOwn && targets.length > 0
    ? undefined
    : 'ends processes that may not be of this command: use kill_task for runs';
};

export const assigns: Check = ({ name, rest, step }) => {
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
