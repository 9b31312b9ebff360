/** The settings for deleting old sessions, and the clean-up when a window opens. */
import type { RetentionLimits } from '../../agent/contract/retention.ts';
import { reportText } from '../../presentation/archive/retentionText.ts';
import type { Logger } from '../../base/logger.ts';
import type { EngineHost } from '../window/engineHost.ts';
import { setting } from '../ui/settings.ts';

const dayMs = 86_400_000;

/**
 * Returns the limits for the age and the size of sessions from the settings; `undefined` if none.
 */
export function retentionLimits(): RetentionLimits | undefined {
  const [ageDays, gb] = [setting('retention.maxAgeDays'), setting('retention.maxGb')];
  if (ageDays <= 0 && gb <= 0) return undefined;
  return {
    ...(ageDays > 0 && { maxAgeMs: ageDays * dayMs }),
    ...(gb > 0 && { maxBytes: gb * 1e9 }),
  };
}

/**
 * Deletes old sessions according to the settings, and logs the result. If the settings have no
 * limit, does nothing and creates no engine.
 */
export async function applyRetention(host: Pick<EngineHost, 'get'>, logger: Logger): Promise<void> {
  const limits = retentionLimits();
  if (limits === undefined) return;
  const { retention } = await host.get();
  const plan = await retention.plan(limits);
  if (plan.goes.length > 0) logger.info(reportText(await retention.carryOut(plan)));
}
