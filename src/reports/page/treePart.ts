/** The tree of hypotheses of a shared page: which experiment built on which. */
import { experimentStatus, resultNumber, type ExperimentRow } from '../../experiments/ledger.ts';
import { hypothesisTree } from '../../experiments/hypothesisTree.ts';
import { fitted } from './fitting.ts';
import { nothing, section, short, tag, type Html } from './html.ts';
import { omittedText, placeOf } from './ledgerPart.ts';
import { decisionClass } from './marks.ts';

/** Depth from which rows are no longer indented further; each row names its parent anyway. */
const maxDepth = 12;

/** Returns the tree; nothing if no experiment built on another. */
export function treePart(experiments: readonly ExperimentRow[], maxBytes: number): Html {
  const nodes = hypothesisTree(experiments);
  if (nodes.every(({ depth }) => depth === 0)) return nothing;
  const { rows, omitted } = fitted(
    nodes.map(({ row, depth, parent }) => ({
      html: treeRow(row, depth, parent),
      isImportant: row.isChampion || row.decision?.decision === 'keep',
    })),
    maxBytes,
  );
  return section(
    'tree',
    'Which experiment built on which',
    tag('ul', { class: 'tree' }, ...rows),
    omittedText(omitted, 'experiment'),
  );
}

const statusText = (row: ExperimentRow): string =>
  `${experimentStatus(row)}${row.isChampion ? ', champion' : ''}`;

function treeRow(row: ExperimentRow, depth: number, parent: string | undefined): Html {
  const { id, result, hypothesis, command, isChampion } = row;
  return tag(
    'li',
    {
      class: `d${Math.min(depth, maxDepth)}${isChampion ? ' champion' : ''}`,
      'aria-level': depth + 1,
    },
    tag('a', { href: `#${placeOf(id)}` }, short(id, 40)),
    ' ',
    tag('b', {}, result === undefined ? '' : short(resultNumber(result), 40)),
    ' ',
    tag('span', { class: decisionClass(row) }, short(statusText(row), 60)),
    ' ',
    short(hypothesis === '' ? command : hypothesis, 120),
    parent === undefined ? nothing : tag('span', { class: 'muted' }, ` · from ${parent}`),
  );
}
