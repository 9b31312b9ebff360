/** Checks that web clients only download, from granted hosts into folders of the mandate. */
import type { ShellWord } from '../../../shell/shellCommand.ts';
import { readArguments, type OptionList } from '../../commands/readers/options.ts';
import { isGrantedHost } from '../mandate.ts';
import { addressOutside, argumentOutside, pathOutside } from '../paths.ts';
import { firstReason, has, operandsOf, valueOf, type Call, type Check } from '../step.ts';

const curlOptions: OptionList =
  'f s S L O J k I i v g N R # 4 6 C: H: A: e: r: m: w: z: b: y: o@ D@ c@ --fail --silent ' +
  '--show-error --location --remote-name --remote-header-name --head --include --verbose ' +
  '--compressed --create-dirs --progress-bar --http1.1 --http2 --fail-with-body --remote-time ' +
  '--continue-at= --header= --user-agent= --referer= --range= --retry= --retry-delay= ' +
  '--retry-all-errors --retry-max-time= --max-time= --connect-timeout= --write-out= ' +
  '--limit-rate= --max-redirs= --max-filesize= --output@ --output-dir@ --dump-header@ ' +
  '--cookie-jar@ --parallel --no-progress-meter --tlsv1.2';
const wgetOptions: OptionList =
  'q c N S r p k v nc np nv nd nH l: A: R: t: T: e: U: w: O@ P@ o@ a@ --quiet --continue ' +
  '--no-clobber --no-verbose --show-progress --progress= --tries= --timeout= --recursive ' +
  '--level= --no-parent --accept= --reject= --user-agent= --header= --wait= --max-redirect= ' +
  '--content-disposition --trust-server-names --no-host-directories --cut-dirs= --spider ' +
  '--timestamping --server-response --output-document@ --directory-prefix@ --output-file@ ' +
  '--append-output@';
const ariaOptions: OptionList =
  'c q x: s: j: k: d@ o@ --continue --quiet --max-connection-per-server= --split= --dir@ ' +
  '--out@ --console-log-level= --summary-interval= --allow-overwrite --auto-file-renaming';

const hostOf = (text: string): string => /^(?:[a-z]+:\/\/)?([^/?#]*)/i.exec(text)?.[1] ?? '';

/** Returns the check of a web client. The client may send data only to this computer. */
const client =
  (options: OptionList): Check =>
  ({ name, rest, step }) => {
    const call = readArguments(rest, options);
    if (typeof call === 'string')
      return isForThisComputer(rest)
        ? undefined
        : `calls ${name} with ${call}, which may send data`;
    return (
      firstReason(call.paths, (word) => pathOutside(word, 'writes', step)) ??
      firstReason(call.operands, (word) => {
        const texts = step.variables.resolve(word);
        if (texts === undefined) return `contacts a host that only the shell knows`;
        return firstReason(texts, ({ text }) =>
          isGrantedHost(hostOf(text), step.mandate.hosts)
            ? undefined
            : `contacts ${hostOf(text)}, which is no host of the mandate`,
        );
      })
    );
  };

const isForThisComputer = (rest: readonly ShellWord[]): boolean => {
  const urls = rest.filter(({ text }) => /^[a-z]+:\/\//i.test(text));
  return (
    urls.length > 0 &&
    urls.every(({ text }) => isGrantedHost(hostOf(text), [])) &&
    !rest.some(({ text }) =>
      /^(?:-o|-O|--output|-K|--config|-T|--upload-file|-x|--proxy)/.test(text),
    )
  );
};

export const curl = client(curlOptions);
export const wget = client(wgetOptions);
export const aria2c = client(ariaOptions);

/** Returns the check of the client of a hub: allows the subcommands that only read or download. */
export const hub =
  (host: string, subcommands: RegExp): Check =>
  ({ name, rest, step }) => {
    const operands = operandsOf(rest).map(({ text }) => text);
    const called = operands.slice(0, 2).join(' ');
    if (!subcommands.test(called)) return `runs ${name} ${called}`;
    const folder = valueOf(rest, /^(?:--local-dir|--cache-dir|-p|--path)$/);
    return (
      (isGrantedHost(host, step.mandate.hosts) ? undefined : `contacts ${host}`) ??
      (folder && pathOutside(folder, 'writes', step)) ??
      firstReason(rest, (word) => argumentOutside(word, step))
    );
  };

const offline =
  /^(?:add|commit|checkout|switch|restore|reset|stash|merge|rebase|branch|tag|rm|mv|apply|am|cherry-pick|revert|clean|init|worktree|bisect|notes|gc|fsck|archive|bundle|format-patch|diff|log|show|status|blame|grep|ls-files|rev-parse|rev-list|describe|shortlog|reflog|cat-file|ls-tree|show-ref|merge-base|range-diff|sparse-checkout|fetch|pull|clone|ls-remote)$/;

/** Returns true for an argument with which git only prints its version or its help. */
const isQuestion = ({ text, isDynamic }: ShellWord): boolean =>
  !isDynamic && /^(?:--version|--help|-v|-h)$/.test(text);

/**
 * Checks only the paths and addresses of a call of git. When the call runs, the git guard checks
 * the rest.
 */
export const git = ({ rest, step }: Call): string | undefined => {
  if (rest.every(isQuestion)) return undefined;
  const words = operandsOf(rest);
  const at = rest.findIndex(({ text }) => /^-[Cc]$/.test(text)) < 0 ? 0 : 1;
  const name = words[at]?.text ?? '';
  if (!step.mandate.isGitGuarded) return 'may change a repository';
  if (!offline.test(name)) return `runs git ${name}`;
  const [source, folder] = words.slice(at + 1);
  const remote = /^(?:clone|fetch|pull|ls-remote)$/.test(name) && remoteOutside(rest, source);
  if (remote) return remote;
  const target = name === 'clone' && folder !== undefined ? [folder] : [];
  return (
    firstReason(rest, (word) => addressOutside(word.text, step)) ??
    firstReason(target, (word) => pathOutside(word, 'writes', step)) ??
    firstReason(rest, (word) => argumentOutside(word, step))
  );
};

function remoteOutside(
  rest: readonly ShellWord[],
  source: ShellWord | undefined,
): string | undefined {
  if (has(rest, /^(?:-[uc]|--(?:upload-pack|config|template))/))
    return 'names a program or settings for the other repository';
  return source !== undefined && /:/.test(source.text) && !source.text.includes('://')
    ? `contacts another host: ${source.text}`
    : undefined;
}
