import * as z from 'zod';
import { ToolFailure } from '../../base/errors.ts';
import { formatDuration } from '../../base/text.ts';
import type { Machines } from '../../machines/machine.ts';
import { parseSleep, type ParsePorts } from '../../sleep/parseTriggers.ts';
import {
  processesText,
  triggerText,
  type SleepRequest,
  type Trigger,
} from '../../sleep/trigger.ts';
import { conditionUses } from '../../sleep/conditionShape.ts';
import { supportedText } from '../../sleep/triggerShapes.ts';
import { pathUse } from '../../permissions/pathRule.ts';
import { usualPaths, type PathRules } from '../../permissions/pathRules.ts';
import { commandAccess, readAccess } from '../parameters/accesses.ts';
import { defineTool, type Tool, type ToolContext } from '../tool.ts';

export interface SleepDeps extends ParsePorts {
  readonly machines: Pick<Machines, 'get'>;
  readonly paths?: PathRules;
  /**
   * Resolves with the text to run for the command of a condition. Rejects with `ToolFailure` if the
   * command uses git for more than reading, because the command runs repeatedly.
   */
  guardCommand(machineId: string, command: string): Promise<string>;
  /**
   * Returns true if the reply with this call tried to launch runs, all launches failed, and no run
   * is active.
   */
  nothingLaunched(callId: string): boolean;
  /**
   * Records the sleep and starts the triggers that end it. Rejects with `ToolFailure` if the
   * session cannot sleep now.
   */
  sleep(request: SleepRequest, context: ToolContext): Promise<void>;
}

const maxMinutes = 30 * 24 * 60;

const parameters = z.strictObject({
  reason: z.string().min(1).describe('Shown to the user, and to you when you wake.'),
  wake_conditions: z.array(z.record(z.string(), z.unknown())).default([]),
  logic: z.enum(['any', 'all']).default('any').describe('all: at the same time. Default: any.'),
  deadline_minutes: z
    .number()
    .min(0)
    .max(maxMinutes)
    .optional()
    .describe('Wakes you in any case. Default: 480, at most what is left of the session.'),
});

export const sleep = (deps: SleepDeps): Tool =>
  defineTool({
    name: 'sleep',
    description: `Wait at no cost until a condition is met. Your turn ends, and a digest of what happened wakes you. ${supportedText}`,
    guidance: [
      'While runs are active, wait with sleep; launch and sleep fit into one turn. Polling costs tokens. Never run the sleep command of the shell.',
    ],
    effect: 'read',
    endsTurn: true,
    isQuiet: true,
    approvedAs: 'remote_exec',
    parameters,
    aliases: { conditions: 'wake_conditions', triggers: 'wake_conditions' },
    describe: ({ reason }) => `Sleep: ${reason}`,
    accesses: ({ wake_conditions: conditions }) =>
      Promise.all(
        conditionUses(conditions).map(async (use) =>
          'command' in use
            ? commandAccess(use.machineId, use.command)
            : readAccess(deps.machines, use),
        ),
      ),
    async execute(
      { reason, wake_conditions: conditions, logic, deadline_minutes: deadlineMinutes },
      context,
    ) {
      if (deps.nothingLaunched(context.callId))
        throw new ToolFailure('Not put to sleep: nothing was launched in this reply.');
      const { request, isDefaultDeadline } = await parseSleep(
        { reason, conditions, logic, deadlineMinutes },
        deps,
      );
      const triggers: Trigger[] = [];
      for (const trigger of request.triggers)
        triggers.push(await guarded(withApproved(trigger, deps, context), deps));
      await deps.sleep({ ...request, triggers }, context);
      const texts = request.triggers.map(triggerText);
      const found = request.triggers.flatMap((trigger) =>
        trigger.type === 'pattern_exit' ? [processesText(trigger.processes)] : [],
      );
      const left = formatDuration(request.deadlineMs - deps.clock.now());
      return {
        content: {
          status: 'sleeping',
          reason,
          conditions: texts,
          ...(found.length > 0 && { processes: found }),
          logic,
          deadline: new Date(request.deadlineMs).toISOString(),
          ...(isDefaultDeadline && {
            note: `No deadline was given, so the default applies: you are woken after ${left}.`,
          }),
        },
        ...(found.length > 0 && { origins: { processes: 'command lines' } }),
        summary: summaryText(request, reason, left),
        endsTurn: true,
      };
    },
  });

async function guarded(
  trigger: Trigger,
  { guardCommand }: Pick<SleepDeps, 'guardCommand'>,
): Promise<Trigger> {
  if (trigger.type !== 'metric' || trigger.source.type !== 'command') return trigger;
  const shellCommand = await guardCommand(trigger.machineId, trigger.source.command);
  return { ...trigger, source: { ...trigger.source, shellCommand } };
}

/** Returns the trigger with the real paths that the user has approved, which it may read. */
function withApproved(
  trigger: Trigger,
  { paths = usualPaths }: Pick<SleepDeps, 'paths'>,
  { accesses }: Pick<ToolContext, 'accesses'>,
): Trigger {
  if (trigger.type !== 'metric' || !('path' in trigger.source)) return trigger;
  const { machineId, source } = trigger;
  const approved = accesses.flatMap((access) =>
    access.kind === 'read' && access.machineId === machineId && pathUse([access], paths)
      ? [access.realPath ?? access.path]
      : [],
  );
  return approved.length === 0 ? trigger : { ...trigger, source: { ...source, approved } };
}

/** Returns what ends the sleep, without conditions that the reason, which stands before, all names. */
function summaryText({ triggers, logic }: SleepRequest, reason: string, left: string): string {
  if (triggers.length === 0) return `until the deadline, at most ${left}`;
  const isSaid = triggers.every((trigger) => {
    const name = trigger.type === 'process_exit' ? trigger.name : triggerText(trigger);
    const at = reason.toLowerCase().indexOf(name.toLowerCase());
    return at >= 0 && !/^\d/.test(reason.slice(at + name.length));
  });
  const conditions = triggers.map(triggerText).join(logic === 'any' ? ' or ' : ' and ');
  return `${isSaid ? '' : `until ${conditions}, `}at most ${left}`;
}
