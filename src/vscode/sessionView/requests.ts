/**
 * Schemas of the webview's requests. Everything is validated, because a webview is an untrusted
 * caller.
 */
import * as z from 'zod';

const row = z.int().min(0).max(10_000_000);
/** Maximum number of rows per request: more rows than fit on any screen. */
const maxRows = 1000;

export const rowsRequest = z
  .object({ from: row, to: row })
  .strict()
  .refine(
    ({ from, to }) => to > from && to - from <= maxRows,
    `at most ${maxRows} rows, and at least one`,
  );

export const trackRequest = z
  .object({
    axis: z.enum(['time', 'step']),
    from: z.number().exactOptional(),
    to: z.number().exactOptional(),
    pixels: z.int().min(1).max(16_384),
  })
  .strict();

export const stepDetailRequest = z.object({ row }).strict();
export const wholeRequest = z.object({ row, section: z.string().min(1).max(100) }).strict();
export const findRequest = z.object({ atMs: z.number() }).strict();
export const turnRequest = z.object({ row, step: z.union([z.literal(1), z.literal(-1)]) }).strict();

const text = z.string().min(1).max(10_000);
export const answerRequest = z
  .object({ questionId: z.string().min(1).max(100), answer: text })
  .strict();
export const pinRequest = z.object({ text }).strict();
export const unpinRequest = z.object({ number: z.int().min(1).max(1_000_000) }).strict();
export const runRequest = z.object({ runId: z.string().min(1).max(100) }).strict();
export const metricsRequest = z.object({}).strict();
