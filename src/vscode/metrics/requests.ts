/**
 * Schemas of the webview's requests. Everything is validated, because a webview is an untrusted
 * caller.
 */
import * as z from 'zod';

const name = z.string().min(1).max(500);
const runId = z.string().min(1).max(100);
const list = (item: z.ZodType<string>) => z.array(item).max(10_000);

export const seriesQuery = z
  .object({
    runIds: z.array(runId).min(1).max(1000),
    metric: name,
    axis: z.union([z.enum(['step', 'time', 'clock']), z.templateLiteral(['metric:', name])]),
    from: z.number().exactOptional(),
    to: z.number().exactOptional(),
    pixels: z.int().min(1).max(16_384),
    smoothing: z.number().min(0).lt(1).exactOptional(),
  })
  .strict();

export const openRequest = z.object({ runId }).strict();

export const matteredQuery = z.object({ runIds: list(runId) }).strict();

export const csvRequest = z.object({ runIds: list(runId), metrics: list(name) }).strict();

const maxImageChars = 64 * 1024 * 1024;

export const exportRequest = z
  .object({
    kind: z.enum(['png', 'csv']),
    // The name becomes the suggested file name, so folders and control characters are not allowed.
    name: z.string().regex(/^[\p{L}\p{N} _.-]{1,100}$/u),
    base64: z.base64().max(maxImageChars),
  })
  .strict();
