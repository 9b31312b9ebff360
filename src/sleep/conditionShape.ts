/**
 * Parses a condition in the model's request. The gate and the sleep use this function, so the
 * condition that is judged is the condition that is run.
 */
import * as z from 'zod';
import { ToolFailure } from '../base/errors.ts';
import { oneLine } from '../base/text.ts';
import { examples, shapes, supportedText } from './triggerShapes.ts';

export type ShapeOf<Name extends keyof typeof shapes> = z.output<(typeof shapes)[Name]>;
export type ConditionShape = { [Name in keyof typeof shapes]: ShapeOf<Name> }[keyof typeof shapes];

/** Returns the fields of the condition. Throws `ToolFailure`, which shows the correct form. */
export function conditionShape(condition: unknown): ConditionShape {
  const type: unknown = isObject(condition) ? condition.type : undefined;
  switch (type) {
    case 'timer':
    case 'process_exit':
    case 'file':
    case 'resource':
      return read(type, condition);
    case 'metric':
      return read(hasSource(condition) ? 'source' : 'tracked', condition);
    default:
      throw new ToolFailure(
        `${type === undefined ? `A condition has no type: ${shown(condition)}` : `There is no condition of type ${shown(type)}`}. ${supportedText}`,
      );
  }
}

/** A command that a condition runs, or a file or folder that it reads. */
export type ConditionUse =
  | { readonly machineId: string; readonly command: string }
  | { readonly machineId: string; readonly path: string };

/**
 * Returns what the conditions run and read. Empty if one of them is invalid: a request with such a
 * condition is refused before anything is run or read.
 */
export function conditionUses(conditions: readonly unknown[]): readonly ConditionUse[] {
  try {
    return conditions.map(conditionShape).flatMap((shape) => useOf(shape) ?? []);
  } catch {
    return [];
  }
}

function useOf(shape: ConditionShape): ConditionUse | undefined {
  if (shape.type === 'file') return { machineId: shape.machine_id, path: shape.path };
  if (!('source' in shape)) return undefined;
  const { machine_id: machineId, source } = shape;
  switch (source.type) {
    case 'command':
      return { machineId, command: source.command };
    case 'tensorboard':
      return { machineId, path: source.logdir };
    case 'json_file':
    case 'csv_file':
      return { machineId, path: source.path };
  }
}

const hasSource = (condition: unknown): boolean =>
  isObject(condition) && ('source' in condition || 'field' in condition);

function read<Name extends keyof typeof shapes>(name: Name, condition: unknown): ShapeOf<Name> {
  const parsed = shapes[name].safeParse(condition);
  if (parsed.success) return parsed.data as ShapeOf<Name>;
  throw new ToolFailure(
    `This condition is invalid: ${shown(condition)}\n${z.prettifyError(parsed.error)}\nExpected shape: ${examples[name]}`,
  );
}

const shown = (value: unknown): string => oneLine(JSON.stringify(value) ?? 'nothing', 200);

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
