/**
 * Updates the token limits and the prices in `src/models/catalogue.json` from a public list of
 * models, and prints what changed.
 *   --from URL|FILE       the list; default: https://models.dev/api.json
 *   --add PROVIDER/MODEL  adds a model that the catalogue does not have; may be repeated
 *   --force               accepts a list with implausible values
 */
import { readFile, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import * as z from 'zod';
import { catalogueShape, catalogueText, publicShape, refresh } from './publicPrices.ts';

const { values: options } = parseArgs({
  options: {
    from: { type: 'string', default: 'https://models.dev/api.json' },
    add: { type: 'string', multiple: true, default: [] },
    force: { type: 'boolean', default: false },
  },
});
const file = resolve(import.meta.dirname, '../models/catalogue.json');

async function main(): Promise<void> {
  const answer: unknown = JSON.parse(await textAt(options.from));
  const list = publicShape.safeParse(answer);
  if (!list.success)
    return fail(
      `${options.from} is not a list in the format of models.dev:\n${z.prettifyError(list.error)}`,
    );
  const catalogue = catalogueShape.parse(JSON.parse(await readFile(file, 'utf8')));
  const { changes, doubts, unlisted, newcomers, ...refreshed } = refresh(
    catalogue,
    list.data,
    options.add,
  );
  show('Changed', changes);
  show('Not in the list, unchanged', unlisted);
  show('In the list but not in the catalogue; add with --add', newcomers);
  if (doubts.length > 0 && !options.force) {
    show('Implausible', doubts);
    return fail(
      'Nothing was written. Check these values in the price list of the provider, then use --force.',
    );
  }
  await writeFile(file, catalogueText(refreshed.catalogue));
}

async function textAt(place: string): Promise<string> {
  if (!/^https?:/.test(place)) return readFile(place, 'utf8');
  const response = await fetch(place);
  if (!response.ok) throw new Error(`${place} answered ${response.status}.`);
  return response.text();
}

function show(title: string, lines: readonly string[]): void {
  if (lines.length > 0) console.log([`${title}:`, ...lines.map((line) => `  ${line}`)].join('\n'));
}

function fail(text: string): void {
  console.error(text);
  process.exitCode = 1;
}

await main().catch((error: unknown) =>
  fail(error instanceof Error ? error.message : String(error)),
);
