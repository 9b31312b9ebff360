/** Checks containers: what they mount, and which network they get. */
import type { ShellWord } from '../../../shell/shellCommand.ts';
import { argumentOutside, pathOutside } from '../paths.ts';
import { firstReason, isOption, operandsOf, valueOf, type Check, type Step } from '../step.ts';

const dockerOptions =
  /^(?:-(?:it?|ti?|w|e|u|m)|--(?:rm|init|gpus|volume|workdir|env|user|name|shm-size|ipc|memory|cpus|entrypoint|platform|pull|ulimit|tag|file|target|build-arg|progress|no-cache|quiet|mount|network|read-only|tmpfs|interactive|tty)|-[tfqv])(?:=.*)?$/;

export const docker: Check = ({ rest, step }) => {
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
    // A name without a slash is a volume of Docker, not a folder.
    return /^[\w-]+$/.test(text)
      ? undefined
      : pathOutside({ ...each, text, spelled: text }, 'writes', step);
  });
}

/** Returns the index of the image. The words after the image are the command in the container. */
const imageAt = (rest: readonly ShellWord[]): number =>
  rest.findIndex(
    (word, at) =>
      at > 0 &&
      !isOption(word) &&
      !(isOption(rest[at - 1] ?? word) && takesValue.test(rest[at - 1]?.text ?? '')),
  );
const takesValue =
  /^(?:-[wevum]|--(?:gpus|volume|workdir|env|user|name|shm-size|ipc|memory|cpus|entrypoint|platform|ulimit|mount|network|tmpfs|pull))$/;
