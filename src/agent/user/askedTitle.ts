/** Changes the title of a call that has not done yet what the title says, or has failed to. */

const infinitives: Readonly<Record<string, string>> = {
  Appended: 'Append',
  Asked: 'Ask',
  Branched: 'Branch',
  Cleared: 'Clear',
  Committed: 'Commit',
  Compared: 'Compare',
  Decided: 'Decide',
  Edited: 'Edit',
  Fetched: 'Fetch',
  Imported: 'Import',
  Launched: 'Launch',
  Listed: 'List',
  Opened: 'Open',
  Paused: 'Pause',
  Planned: 'Plan',
  Ran: 'Run',
  Recorded: 'Record',
  Resumed: 'Resume',
  Searched: 'Search',
  Sent: 'Send',
  Stopped: 'Stop',
  Swept: 'Sweep',
  Wrote: 'Write',
};

/**
 * Returns the title with its first word, a verb in the past tense, in the infinitive: `Run make`.
 */
export const askedTitle = (title: string): string =>
  title.replace(/^\w+/, (word) => infinitives[word] ?? word);

/** Returns the title of a call that failed: in the infinitive, unless its command ran. */
export const failedTitle = ({ exitCode }: { readonly exitCode?: number }, title: string): string =>
  exitCode === undefined ? askedTitle(title) : title;
