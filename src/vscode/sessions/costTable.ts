/** The cost of a session, and what remains of its limits, as Markdown. */
import type { DayLimits } from '../../agent/budget/measures.ts';
import { leftText, measuresOf, scopeText, usedText } from '../../presentation/limits.ts';
import type { Spent } from '../../agent/contract/budget.ts';
import { billText, cacheShare, experimentCostLine } from '../../presentation/costs.ts';
import type { SessionState } from '../../agent/journal/state.ts';
import { formatTokens } from '../../base/text.ts';
import { plain } from '../../base/markdown.ts';

/** Returns a table with a row per model; empty text if no model has been called yet. */
function costTable({ spending }: SessionState): string {
  if (spending.size === 0) return '';
  const rows = [...spending.values()].map((one) => {
    const name = plain(`${one.provider}/${one.model}`, 80);
    return `| ${name} | ${one.calls} | ${formatTokens(one.tokens)} | ${cacheShare(one) ?? ''} | ${billText(one)} |`;
  });
  return `| Model | Calls | Tokens | Input from cache | Cost |\n| :-- | --: | --: | --: | --: |\n${rows.join('\n')}`;
}

export interface LimitFacts {
  readonly state: SessionState;
  readonly dayLimits?: DayLimits | undefined;
  readonly today: Spent;
  readonly nowMs: number;
}

/** Returns a line per limit, for example `$1.20 of $5.00 of the goal · 24 % used, $3.80 left`. */
export const limitLines = (facts: LimitFacts): string[] =>
  measuresOf(facts).map(
    (measure) => `${usedText(measure)} ${scopeText(measure.scope)} · ${leftText(measure)}`,
  );

/** Returns the costs, experiments and limits as text for `/status`. */
export function costPart(facts: LimitFacts): string {
  const { state } = facts;
  const limits = limitLines(facts);
  return [
    costTable(state),
    experimentCostLine(state) ?? '',
    limits.length === 0 ? 'No limits.' : limits.map((line) => `- ${line}`).join('\n'),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}
