/** A quick pick that searches the texts of all sessions as the user types. */
import { ThemeIcon, window, type QuickPick, type QuickPickItem } from 'vscode';
import type { Sessions } from '../../agent/contract/sessions.ts';
import type { SearchHit, HitKind } from '../../agent/contract/search.ts';
import { delay, systemClock } from '../../base/clock.ts';
import { messageOf } from '../../base/errors.ts';
import type { SessionId } from '../../base/ids.ts';
import { relativeTime } from '../../base/span.ts';
import { oneLine } from '../../base/text.ts';

/** Time without typing after which the search starts. */
const quietMs = 200;
const limit = 50;

const icons: Readonly<Record<HitKind, string>> = {
  goal: 'target',
  message: 'person',
  reply: 'comment',
  tool: 'tools',
  result: 'output',
  run: 'beaker',
  experiment: 'beaker',
  note: 'pin',
  question: 'question',
  end: 'flag',
};

interface HitItem extends QuickPickItem {
  readonly hit?: SearchHit;
}

/**
 * Lets the user search the sessions. Resolves with the id of the selected session, or `undefined`
 * when the user cancels.
 */
export async function pickBySearch(
  sessions: Pick<Sessions, 'search'>,
): Promise<SessionId | undefined> {
  const pick = window.createQuickPick<HitItem>();
  pick.title = 'Search Sessions';
  pick.placeholder =
    'Search goals, messages, replies, commands and outputs; use "quotes" for phrases';
  const { promise, resolve } = Promise.withResolvers<SessionId | undefined>();
  let searching = new AbortController();
  pick.onDidChangeValue((query) => {
    searching.abort(new Error('another query'));
    searching = new AbortController();
    void show(pick, sessions, query, searching.signal);
  });
  pick.onDidAccept(() => {
    const hit = pick.selectedItems[0]?.hit;
    if (hit !== undefined) resolve(hit.sessionId);
  });
  pick.onDidHide(() => resolve(undefined));
  pick.show();
  return promise.finally(() => {
    searching.abort(new Error('closed'));
    pick.dispose();
  });
}

/**
 * Searches for a query and shows the hits. Never rejects. When `signal` is aborted because the user
 * has typed another query, shows nothing.
 */
async function show(
  pick: QuickPick<HitItem>,
  sessions: Pick<Sessions, 'search'>,
  query: string,
  signal: AbortSignal,
): Promise<void> {
  pick.busy = query.trim() !== '';
  try {
    await delay(systemClock, quietMs, signal);
    const hits = await sessions.search(query, { limit, signal });
    if (signal.aborted) return;
    pick.items = hits.length === 0 && query.trim() !== '' ? [nothing(query)] : hits.map(itemOf);
    pick.busy = false;
  } catch (error) {
    if (signal.aborted) return;
    pick.items = [{ label: messageOf(error), alwaysShow: true }];
    pick.busy = false;
  }
}

const nothing = (query: string): HitItem => ({
  label: `No results for “${oneLine(query, 60)}”`,
  alwaysShow: true,
});

/** Converts a hit to an item that is always shown, even if VS Code's own filter would hide it. */
const itemOf = (hit: SearchHit): HitItem => ({
  label: hit.snippet.text,
  description: relativeTime(hit.atMs, systemClock.now()),
  detail: oneLine(hit.goal, 100),
  iconPath: new ThemeIcon(icons[hit.kind]),
  alwaysShow: true,
  hit,
});
