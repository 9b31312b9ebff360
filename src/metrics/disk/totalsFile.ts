/**
 * Totals of the metrics of a run whose points file is full, so that the output after the last
 * stored point is not read again after a restart.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { replaceFileSync } from '../../base/heldFiles.ts';
import { openIfThere } from '../../storage/openIfThere.ts';
import { fromJsonLine, toJsonLine } from '../../storage/jsonLine.ts';

/** Number of bytes of output after which the totals of a full points file are stored again. */
export const totalsEveryBytes = 16 * 1024 * 1024;

const fileName = 'points.totals';
/** Maximum size of the file. 2000 metrics with long names need less. */
const maxBytes = 8 * 2 ** 20;

const number = z.union([z.number(), z.nan(), z.literal(Infinity), z.literal(-Infinity)]);
const extent = z.object({
  min: number,
  max: number,
  last: number,
  isAscending: z.boolean(),
  isComplete: z.boolean(),
});
const seriesTotals = z.object({
  count: z.number(),
  finiteCount: z.number(),
  last: number,
  lastStep: number,
  min: number,
  max: number,
  mean: number,
  firstNonFinite: z.object({ index: z.number(), step: number, value: number }).optional(),
  steps: extent,
  timesMs: extent,
});
const totals = z.object({
  /** Position in the output of the first byte whose points are not in the totals. */
  endOffset: z.number(),
  series: z.array(z.object({ metric: z.string(), isShown: z.boolean(), totals: seriesTotals })),
});

export type SeriesTotals = z.infer<typeof seriesTotals>;
export type RunTotals = z.infer<typeof totals>;

/** Writes the totals of the metrics in `folder`. Throws an error of the system. */
export function writeTotals(folder: string, content: RunTotals): void {
  const file = join(folder, fileName);
  writeFileSync(`${file}.tmp`, toJsonLine(content), { mode: 0o600 });
  replaceFileSync(`${file}.tmp`, file);
}

/** Reads the totals of the metrics in `folder`; `undefined` if there are no usable totals. */
export async function readTotals(folder: string): Promise<RunTotals | undefined> {
  const handle = await openIfThere(join(folder, fileName));
  if (handle === undefined) return undefined;
  try {
    if ((await handle.stat()).size > maxBytes) return undefined;
    return totals.parse(fromJsonLine(await handle.readFile('utf8')));
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof z.ZodError) return undefined;
    throw error;
  } finally {
    await handle.close();
  }
}
