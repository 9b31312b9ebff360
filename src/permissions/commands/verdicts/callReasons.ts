/** Says what a call does, where the program alone does not show it. */
import type { ShellWord } from '../../../shell/shellCommand.ts';
import { operandsOf } from '../../mandate/step.ts';

type Calls = readonly (readonly [call: RegExp, reason: string])[];

const gitCalls: Calls = [
  [/^(?:fetch|pull|clone|ls-remote|submodule update|remote (?:show|update|prune))\b/, 'contacts'],
  [/^(?:clean|rm)\b/, 'removes files of the working tree'],
  [
    /^(?:checkout|switch|restore|reset|merge|rebase|cherry-pick|revert|stash|apply|am|mv)\b/,
    'tree',
  ],
  [/^(?:add|commit|tag|branch|remote|notes|init|worktree|gc|update-ref)\b/, 'repository'],
];

/** Matches each call, written as the program and its operands. */
const calls: Calls = [
  [/^python[\d.]* pip (?:list|show|freeze|check)\b/, 'may run code of the folder'],
  [/^pip3? freeze\b/, 'runs version control in the folders of editable packages'],
  [/^uv (?:pip (?:list|freeze|tree|show|check)|tree)\b/, 'runs the Python of the environment'],
  [/^pip3? (?:download|wheel)\b/, 'downloads or builds packages'],
  [
    /^(?:apt|apt-get|yum|dnf|brew|snap|gem) (?:install|remove|upgrade|update)\b/,
    'changes packages',
  ],
  [/^(?:npm|pnpm|yarn) (?:install|i|ci|add|remove|update)\b/, 'changes packages of the folder'],
  [/^(?:npm|pnpm|yarn) (?:run|test|start|exec)\b/, 'runs a script of the folder'],
  [/^conda run\b/, 'runs another command'],
  [/^conda activate\b/, 'sets the environment'],
  [/^(?:cargo|go|uv) (?:build|run|test)\b/, 'builds or runs code'],
  [/^kubectl\b/, 'contacts a cluster'],
  [/^tmux capture-pane\b/, 'shows what a user typed, which may hold secrets'],
  [/^tmux (?:new|new-session|send-keys|run-shell)\b|^screen\b/, 'starts or steers a terminal'],
  [/^(?:gh|aws|gsutil|gcloud|az|wandb|hf|huggingface-cli)\b/, 'may contact another host'],
  [/^(?:journalctl|systemctl status)\b/, 'shows logs of the system'],
  [/^crontab\b/, 'shows commands that the system starts'],
  [/^(?:alias|history)\b/, 'shows what the user typed or set, which may hold secrets'],
  [/^env$/, 'shows the environment'],
  [/^sudo\b/, 'runs as another user'],
];

/** Returns what a call does, as the rest of a sentence; `undefined` if the program shows it. */
export function callReason(program: string, rest: readonly ShellWord[]): string | undefined {
  const operands = operandsOf(rest).map(({ spelled }) => spelled);
  if (program === 'git') return gitReason(operands, rest);
  const call = [program, ...operands].join(' ');
  return calls.find(([pattern]) => pattern.test(call))?.[1];
}

function gitReason(operands: readonly string[], rest: readonly ShellWord[]): string | undefined {
  const [verb = '', target] = operands;
  // An option before the subcommand may have a value that is no subcommand.
  if (rest[0]?.text !== verb) return undefined;
  const remote = target ?? 'its remote';
  if (verb === 'push') return `sends commits to ${remote}`;
  const kind = gitCalls.find(([pattern]) => pattern.test(operands.join(' ')))?.[1];
  if (kind === 'contacts')
    return /^(?:fetch|pull|clone|ls-remote)$/.test(verb)
      ? `contacts ${remote}`
      : 'contacts another host';
  if (kind === 'tree') return 'changes files of the working tree or the branch';
  return kind === 'repository' ? 'changes the repository' : kind;
}
