import { homedir } from 'node:os';
import type { SessionId } from '../../../src/base/ids.ts';
import { LocalMachine } from '../../../src/machines/local/localMachine.ts';
import { createMachines } from '../../../src/machines/list/machineList.ts';
import type { Machines } from '../../../src/machines/machine.ts';
import type { Tool, ToolContext, ToolResult } from '../../../src/tools/tool.ts';

export const sessionId = 's-test00000' as SessionId;

export const toolContext = (signal = new AbortController().signal): ToolContext => ({
  sessionId,
  callId: 'call-1',
  signal,
  accesses: [],
  progress: () => undefined,
});

/** Calls a tool as the loop does: arguments are parsed first; a refusal is thrown. */
export async function call(
  tool: Tool,
  input: unknown,
  context = toolContext(),
): Promise<ToolResult> {
  const parsed = tool.parse(input);
  if (!parsed.ok) throw new Error(parsed.problem);
  return tool.execute(parsed.args, { ...context, accesses: await tool.accesses(parsed.args) });
}

/** The result of a call as the object that the model sees. */
export async function answer(tool: Tool, input: unknown): Promise<Record<string, unknown>> {
  const { content } = await call(tool, input);
  if (typeof content === 'string') throw new Error(`Not an object: ${content}`);
  return content;
}

export const localOnly = (workFolder: string, homeFolder = homedir()): Machines => {
  const options = { runsFolder: `${workFolder}/runs`, workFolder, env: { PATH: process.env.PATH } };
  return createMachines([Object.assign(new LocalMachine(options), { homeFolder })]);
};
