/**
 * Icons and names of the kinds of steps, and colours and words of the tones. A colour is always
 * shown together with an icon or a word of the same meaning.
 */
import type { RowKind, Tone } from '../../src/protocol/sessionView.ts';
import type { IconName } from '../shared/icons.ts';

const kindIcons: Readonly<Record<RowKind, IconName>> = {
  start: 'flag',
  message: 'person',
  wake: 'bell',
  turn: 'spark',
  tool: 'tool',
  refusal: 'shield',
  run: 'rocket',
  runEnd: 'ended',
  sweep: 'grid',
  sleep: 'clock',
  alarm: 'alarm',
  question: 'question',
  answer: 'comment',
  plan: 'flask',
  decision: 'scales',
  checkpoint: 'archive',
  note: 'pin',
  budget: 'money',
  resume: 'running',
  pause: 'pause',
  setting: 'gear',
  consult: 'comment',
  monitor: 'eye',
  end: 'flag',
};

/** Icons of the end of a run by its tone; the icon of the kind in any other tone. */
const runEndIcons: { readonly [Name in Tone]?: IconName } = {
  good: 'ok',
  bad: 'bad',
  warn: 'alarm',
};

export const stepIcon = (kind: RowKind, tone: Tone): IconName =>
  (kind === 'runEnd' ? runEndIcons[tone] : undefined) ?? kindIcons[kind];

/**
 * Words that screen readers read before the title of a step, because the title may not name the
 * step's kind.
 */
export const kindLabels: Readonly<Record<RowKind, string>> = {
  start: 'session',
  message: 'message',
  wake: 'message',
  turn: 'turn',
  tool: 'tool call',
  refusal: 'permission',
  run: 'launch',
  runEnd: 'run',
  sweep: 'sweep',
  sleep: 'sleep',
  alarm: 'alarm',
  question: 'question',
  answer: 'answer',
  plan: 'plan',
  decision: 'decision',
  checkpoint: 'checkpoint',
  note: 'note',
  budget: 'budget',
  resume: 'session',
  pause: 'session',
  setting: 'setting',
  consult: 'call',
  monitor: 'monitor',
  end: 'end',
};

const toneVariables: Readonly<Record<Tone, string>> = {
  good: '--good',
  bad: '--bad',
  warn: '--warn',
  busy: '--busy',
  muted: '--quiet',
  plain: '--quiet',
};

/** Colours per tone with CSS variables resolved, because a canvas cannot use CSS variables. */
export type ToneColours = Readonly<Record<Tone, string>>;

export function readTones(): ToneColours {
  const probe = document.createElement('span');
  document.body.append(probe);
  const read = (tone: Tone): string => {
    probe.style.color = `var(${toneVariables[tone]})`;
    return getComputedStyle(probe).color;
  };
  const colours = {
    good: read('good'),
    bad: read('bad'),
    warn: read('warn'),
    busy: read('busy'),
    muted: read('muted'),
    plain: read('plain'),
  };
  probe.remove();
  return colours;
}

export const toneLabels: Readonly<Record<Tone, string>> = {
  good: '',
  bad: 'failed',
  warn: 'needs attention',
  busy: 'in progress',
  muted: '',
  plain: '',
};
