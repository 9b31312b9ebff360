/** The timeline of a shared page: what happened, oldest first. */
import { exactTime } from '../../base/localTime.ts';
import { fitted } from './fitting.ts';
import { nothing, section, short, tag, type Html } from './html.ts';
import { omittedText } from './ledgerPart.ts';

/** A step of a session. Its texts are raw. */
export interface PageStep {
  readonly atMs: number;
  readonly title: string;
  /** Text next to the title: a result, a verdict or a reason. */
  readonly note: string;
  readonly tone: 'good' | 'bad' | 'warn' | 'busy' | 'muted' | 'plain';
}

export function timelinePart(steps: readonly PageStep[], maxBytes: number): Html {
  if (steps.length === 0) return nothing;
  const { rows, omitted } = fitted(
    steps.map((step) => ({ html: stepRow(step), isImportant: step.tone === 'bad' })),
    maxBytes,
  );
  return section(
    'timeline',
    'Timeline',
    tag('ol', { class: 'timeline' }, ...rows),
    omittedText(omitted, 'step'),
  );
}

const stepRow = ({ atMs, title, note, tone }: PageStep): Html =>
  tag(
    'li',
    {},
    tag('time', { datetime: new Date(atMs).toISOString() }, exactTime(atMs)),
    ' ',
    tag('span', { class: tone }, short(title, 160)),
    note === '' ? nothing : tag('span', { class: 'muted' }, ' · ', short(note, 160)),
  );
