/**
 * Builds a page of a session for others: one HTML file that needs nothing else. It opens without a
 * network, runs no script but its own, and is at most 2 MB large.
 */
import { createHash } from 'node:crypto';
import { formatDuration, counted } from '../../base/text.ts';
import { exactTime } from '../../base/localTime.ts';
import { shellText } from '../../base/shellText.ts';
import { resultValueText } from '../../experiments/ledger.ts';
import { buildBrief } from '../brief.ts';
import { drawCharts, type DrawnChart, type ReadSeries } from '../chartSet.ts';
import type { BriefFacts } from '../facts.ts';
import { nightOf } from '../night.ts';
import { plotPixels } from '../plot.ts';
import { runsPart as runsTable } from '../runsPart.ts';
import { pictureStyle } from '../svg.ts';
import { briefParts, type BriefPart } from './briefHtml.ts';
import { byteLength } from './fitting.ts';
import { Html, joined, nothing, section, short, tag } from './html.ts';
import { ledgerPart } from './ledgerPart.ts';
import { timelinePart, type PageStep } from './timelinePart.ts';
import { treePart } from './treePart.ts';

export interface PageFacts {
  readonly brief: BriefFacts;
  /** Steps of the session, oldest first. */
  readonly steps: readonly PageStep[];
  /** Time at which the page is built. */
  readonly nowMs: number;
}

/** Maximum size of a page, in bytes. */
export const maxPageBytes = 2_000_000;
/** Maximum sizes of the parts that grow with the session. The charts take what is left. */
const partBytes = { ledger: 600_000, tree: 250_000, runs: 350_000, timeline: 350_000 };
const minColumns = 24;

const css = shellText('./page.css', import.meta.url);
const script = shellText('./page.js', import.meta.url);

/**
 * Returns the page. Texts of `facts` are raw, and must contain no secrets. `read` gives the points
 * of the charts.
 */
export async function buildPage(facts: PageFacts, read: ReadSeries): Promise<string> {
  const { brief, steps } = facts;
  const { ledger } = brief;
  const [head, ...parts] = briefParts(buildBrief(brief));
  const after = [
    ledgerPart(ledger, partBytes.ledger),
    treePart(ledger.experiments, partBytes.tree),
    runsPart(brief),
    timelinePart(steps, partBytes.timeline),
  ];
  const around = pageOf(facts, { head, parts, charts: nothing, after });
  const charts = await chartsPart(brief, read, maxPageBytes - byteLength(around));
  return pageOf(facts, { head, parts, charts, after });
}

interface Parts {
  readonly head: BriefPart | undefined;
  readonly parts: readonly BriefPart[];
  readonly charts: Html;
  readonly after: readonly Html[];
}

function pageOf({ brief, nowMs }: PageFacts, { head, parts, charts, after }: Parts): string {
  const { session } = brief;
  const body = [
    tag('header', {}, head?.content ?? nothing, figuresOf(brief)),
    charts,
    ...parts.map(({ title, content }, index) => section(`part-${index + 1}`, title, content)),
    ...after,
    tag('footer', {}, `Made by Helios on ${exactTime(nowMs)} from measured values.`),
  ].filter((part) => part !== nothing);
  const meta = [
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="referrer" content="no-referrer">',
    '<meta name="color-scheme" content="light dark">',
  ].join('\n');
  const title = tag('title', {}, short(`${session.goal} · Helios`, 120)).text;
  return `<!doctype html>
<html lang="en">
<head>
${meta}
${title}
<style>${css}</style>
</head>
<body>
<main>
${joined(body, '\n').text}
</main>
<script>${script}</script>
</body>
</html>
`;
}

const hashOf = (text: string): string =>
  `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

const policy = [
  "default-src 'none'",
  `script-src ${hashOf(script)}`,
  `style-src ${hashOf(css)} ${hashOf(pictureStyle)}`,
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

/** Returns the figures of the session at a glance. */
function figuresOf({ session, ledger, runs, cost }: BriefFacts): Html {
  const figures: readonly (readonly [string, string])[] = [
    ['Best', ledger.best === undefined ? 'nothing measured' : resultValueText(ledger.best)],
    ['Experiments', String(ledger.experiments.length)],
    ['Runs', String(runs.length)],
    ['Time', formatDuration(session.workedMs)],
    ['Cost of models', cost.total],
  ];
  return tag(
    'dl',
    { class: 'figures' },
    ...figures.map(([name, value]) =>
      tag('div', {}, tag('dt', {}, name), tag('dd', {}, short(value, 120))),
    ),
  );
}

/** Draws the charts with as many points as fit. */
async function chartsPart(brief: BriefFacts, read: ReadSeries, maxBytes: number): Promise<Html> {
  const once = remembered(read);
  let columns = plotPixels / 2;
  for (;;) {
    const charts = await drawCharts(brief, once, { isGrouped: true, columns });
    if (charts.length === 0) return nothing;
    const part = section('charts', 'Charts', ...charts.map(figureOf));
    const share = maxBytes / byteLength(part.text);
    if (share >= 1 || columns <= minColumns) return part;
    // The size is about in proportion to the columns.
    columns = Math.max(minColumns, Math.floor(columns * share * 0.9));
  }
}

const figureOf = ({ svg, text }: DrawnChart): Html =>
  tag('figure', {}, new Html(svg.trim()), tag('figcaption', {}, short(text, 300)));

/** Reads each series once, because charts that are too large are drawn again. */
function remembered(read: ReadSeries): ReadSeries {
  const series = new Map<string, ReturnType<ReadSeries>>();
  return (row, metric) => {
    const key = JSON.stringify([row.runId, metric]);
    const found = series.get(key) ?? read(row, metric);
    series.set(key, found);
    return found;
  };
}

/** Returns the table of runs; of too many runs, the newest. */
function runsPart(brief: BriefFacts): Html {
  const { runs } = brief;
  if (runs.length === 0) return nothing;
  const night = nightOf(brief);
  const shown = (count: number): Html => {
    const facts = { ...brief, runs: runs.slice(runs.length - count) };
    return joined(briefParts(runsTable({ ...night, facts })).map(({ content }) => content));
  };
  let count = runs.length;
  let part = shown(count);
  while (byteLength(part.text) > partBytes.runs && count > 1) {
    count = Math.floor((count * partBytes.runs * 0.9) / byteLength(part.text));
    part = shown(count);
  }
  return section(
    'runs',
    'Runs',
    part,
    tag(
      'p',
      { class: 'muted' },
      count === runs.length ? '' : `The newest ${counted(count, 'run')} of ${runs.length}.`,
    ),
  );
}
