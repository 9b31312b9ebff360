/** A quick pick that searches the texts of all sessions as the user types. */
import { ThemeIcon, window, type QuickPick, type QuickPickItem } from 'vscode';
import type { Sessions } from '../../agent/contract/sessions.ts';
import type { SearchHit, HitKind } from '../../agent/contract/search.ts';
import { delay, systemClock } from '../../base/clock.ts';
import { messageOf } from '../../base/errors.ts';
import type { SessionId } from '../../base/ids.ts';
import { relativeTime } from '../../base/span.ts';
import { sessionName } from '../../presentation/sessions/sessionText.ts';
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

/** Resolves with the hits of a query. */
type Search = (query: string, signal: AbortSignal) => Promise<readonly HitItem[]>;

/**
 * Lets the user search the sessions. Resolves with the id of the selected session, or `undefined`
 * when the user cancels.
 */
export async function pickBySearch(
  sessions: Pick<Sessions, 'search' | 'list'>,
): Promise<SessionId | undefined> {
  const listed = await sessions.list();
  const names = new Map(listed.map((summary) => [summary.id, sessionName(summary)]));
  const search: Search = (query, signal) =>
    sessions
      .search(query, { limit, signal })
      .then((hits) => hits.map((hit) => itemOf(hit, names.get(hit.sessionId) ?? hit.goal)));
  const pick = window.createQuickPick<HitItem>();
  pick.title = 'Search Sessions';
  pick.placeholder =
    'Search goals, messages, replies, commands and outputs; use "quotes" for phrases';
  const { promise, resolve } = Promise.withResolvers<SessionId | undefined>();
  let searching = new AbortController();
  pick.onDidChangeValue((query) => {
    searching.abort(new Error('another query'));
    searching = new AbortController();
    void show(pick, search, query, searching.signal);
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
  search: Search,
  query: string,
  signal: AbortSignal,
): Promise<void> {
  pick.busy = query.trim() !== '';
  try {
    await delay(systemClock, quietMs, signal);
    const items = await search(query, signal);
    if (signal.aborted) return;
    pick.items = items.length === 0 && query.trim() !== '' ? [nothing(query)] : items;
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
const itemOf = (hit: SearchHit, session: string): HitItem => ({
  label: hit.snippet.text,
  description: [oneLine(hit.call ?? '', 60), relativeTime(hit.atMs, systemClock.now())]
    .filter((part) => part !== '')
    .join(' · '),
  detail: oneLine(session, 100),
  iconPath: new ThemeIcon(icons[hit.kind]),
  alwaysShow: true,
  hit,
});
