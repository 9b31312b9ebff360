/**
 * Command links in Markdown. Unlike buttons of the chat, they work after a reload of the window. The
 * Markdown that may run commands consists of fixed titles and encoded arguments: text of the model,
 * of files and of output never shares a string with it.
 */
import type { SessionState } from '../../agent/journal/state.ts';
import type { CommandId } from './contributions.ts';

const commands = {
  Follow: 'helios.follow',
  Resume: 'helios.unpause',
  'Resume…': 'helios.resumeSession',
  'Try Again': 'helios.tryAgain',
  'Set API Key': 'helios.setApiKey',
  Stop: 'helios.stop',
  'Keep Running': 'helios.keepRunning',
  Metrics: 'helios.showMetrics',
  Session: 'helios.openSession',
  Brief: 'helios.openBrief',
  Change: 'helios.changePermissionMode',
  'Open Changes': 'helios.openEdit',
  'Approve for Session': 'helios.answerApproval',
  'Approve in Workspace': 'helios.answerApproval',
  'Always Approve': 'helios.answerApproval',
  'Approve Once': 'helios.answerApproval',
  Review: 'helios.answerApproval',
  Deny: 'helios.answerApproval',
  'Other Answer…': 'helios.answerQuestion',
} as const satisfies Readonly<Record<string, CommandId>>;

/** Commands of titles that a number follows. */
const numbered = {
  Answer: 'helios.answerQuestion',
  'Open Changes': 'helios.openEdit',
} as const satisfies Readonly<Record<string, CommandId>>;

export type LinkTitle = keyof typeof commands | `${keyof typeof numbered} ${number}`;

export interface CommandLink {
  readonly title: LinkTitle;
  /** Arguments of the command, which VS Code passes on as JSON. */
  readonly args?: readonly unknown[];
}

const commandOf = (title: LinkTitle): CommandId =>
  ({ ...commands, ...numbered })[title.replace(/ \d+$/, '') as keyof typeof commands];

/** Returns links on one line as Markdown, and the commands that the Markdown may run. */
export const linkLine = (
  links: readonly CommandLink[],
): { readonly text: string; readonly enabledCommands: readonly CommandId[] } => ({
  text: links.map(linkText).join(' · '),
  enabledCommands: [...new Set(links.map(({ title }) => commandOf(title)))],
});

const linkText = ({ title, args = [] }: CommandLink): string =>
  `[${title}](command:${commandOf(title)}${args.length > 0 ? `?${encoded(JSON.stringify(args))}` : ''})`;

/** Encodes a text such that Markdown can neither end the link in it nor begin another one. */
const encoded = (text: string): string =>
  encodeURIComponent(text).replace(
    /[!'()*_~]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  );

/** Returns links to the views of a session, and to what can be done with it. */
export function sessionLinks({ id, phase, runs, end }: SessionState): readonly CommandLink[] {
  const isOpen = phase !== 'ended';
  const titles: readonly (LinkTitle | false)[] = [
    phase === 'paused' && 'Resume',
    runs.size > 0 && 'Metrics',
    'Session',
    !isOpen && runs.size > 0 && 'Brief',
    isOpen && phase !== 'paused' && 'Follow',
    isOpen && 'Keep Running',
    isOpen && 'Stop',
    end !== undefined && end.reason !== 'goal' && 'Resume…',
  ];
  return titles.flatMap((title) => (title === false ? [] : [{ title, args: [id] }]));
}
