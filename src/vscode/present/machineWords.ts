/** Machines in the words of people: what is typed after `/machine`, and what `ssh` is told. Pure: no `vscode` here. */
import { UserFacing } from '../../base/errors.ts';
import { shellQuote } from '../../base/text.ts';
import { authMethods, parseMachineSpec, type AuthMethod, type MachineEntry } from '../../machines/machineEntry.ts';

export type MachineWords =
  | { readonly action: 'list' }
  | { readonly action: 'add'; readonly entry: MachineEntry }
  | { readonly action: 'rm' | 'test'; readonly id: string };

const usage = 'Write /machine add gpu1 user@host:22, /machine rm gpu1, /machine test gpu1, or /machines.';

/** Throws `UserFacing` with what is understood. */
export function parseMachineWords(text: string, aliases: readonly string[]): MachineWords {
  const { words, options } = split(text.trim().split(/\s+/).filter(Boolean));
  const [action = 'list', id, place, ...more] = words;
  if (action === 'list' && id === undefined) return { action };
  if ((action === 'rm' || action === 'test') && id !== undefined && place === undefined) return { action, id };
  if (action !== 'add' || id === undefined || place === undefined || more.length > 0)
    throw new UserFacing('That is no command for machines.', usage);
  return {
    action,
    entry: {
      id,
      kind: 'ssh',
      ...parseMachineSpec(place, aliases),
      ...(options.auth !== undefined && { auth: authOf(options.auth) }),
      ...(options.key !== undefined && { keyPath: options.key }),
    },
  };
}

function authOf(text: string): AuthMethod {
  const auth = authMethods.find((method) => method === text);
  if (auth !== undefined) return auth;
  throw new UserFacing(`There is no way to log in called ${text}.`, `Choose one of: ${authMethods.join(', ')}.`);
}

function split(all: readonly string[]): { words: string[]; options: { key?: string; auth?: string } } {
  const words: string[] = [];
  const options: { key?: string; auth?: string } = {};
  for (let index = 0; index < all.length; index += 1) {
    const word = all[index] ?? '';
    const [, name, own] = /^--(key|auth)(?:=(.+))?$/.exec(word) ?? [];
    if (name === undefined && word.startsWith('--')) throw new UserFacing(`${word} is not known here.`, usage);
    if (name === undefined) {
      words.push(word);
      continue;
    }
    const value = own ?? all[(index += 1)];
    if (value === undefined) throw new UserFacing(`${word} needs a value.`, usage);
    options[name as 'key' | 'auth'] = value;
  }
  return { words, options };
}

/** Arguments of `ssh` for a terminal on the machine; `expand` gives the absolute path of a key. */
export function sshArguments(entry: MachineEntry, expand: (path: string) => string): string[] {
  const { host, alias, user, port, auth, keyPath, workFolder } = entry;
  const name = alias ?? host ?? '';
  return [
    ...(port === undefined ? [] : ['-p', String(port)]),
    ...(keyPath === undefined ? [] : ['-i', expand(keyPath)]),
    ...(auth === 'password' ? ['-o', 'PreferredAuthentications=password,keyboard-interactive'] : []),
    ...(workFolder === undefined ? [] : ['-t']),
    '--',
    user === undefined ? name : `${user}@${name}`,
    ...(workFolder === undefined ? [] : [`cd ${quotedFolder(workFolder)}; exec "$SHELL" -l`]),
  ];
}

/** `~` stands for the home folder there, so it stays outside the quotes. */
const quotedFolder = (folder: string): string =>
  folder === '~' || folder.startsWith('~/')
    ? `~${folder.length > 1 ? `/${shellQuote(folder.slice(2))}` : ''}`
    : shellQuote(folder);

/** How VS Code names the host of a Remote-SSH window. */
export function remoteAuthority({ host, alias, user, port }: MachineEntry): string {
  const name = alias ?? host ?? '';
  const bracketed = port !== undefined && name.includes(':') ? `[${name}]` : name;
  return `ssh-remote+${user === undefined ? '' : `${user}@`}${bracketed}${port === undefined ? '' : `:${port}`}`;
}
