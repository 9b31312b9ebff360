/**
 * Finds the machine that the goal names, and copies the project to that machine before the first
 * run.
 */
import { withoutUntrustedMarks } from '../../base/untrusted.ts';
import type { ModelRequest } from '../model.ts';
import type { DemoCall, DemoReply } from './notes.ts';
import {
  callsOf,
  fieldsOf,
  isInterrupted,
  succeeded,
  type PastCall,
  type Transcript,
} from './transcript.ts';
import * as words from './phrases.ts';

export const local = 'local';
export const script = 'train.py';
const data = 'corpus.txt';
/** Folder of the project on another machine, relative to the folder where commands start. */
export const remoteFolder = 'helios-demo';

/**
 * Returns the machine that a goal such as `… on gpu1` names, if the prompt lists that machine;
 * otherwise this computer.
 */
export function machineOf(goal: string, { system }: Pick<ModelRequest, 'system'>): string {
  const list =
    /\nMachines:\n((?:- .+\n?)+)/.exec(system.map(({ text }) => text).join('\n\n'))?.[1] ?? '';
  const ids = [...list.matchAll(/^- ([\w.-]+):/gm)].map(([, id = '']) => id);
  const named = /\bon (?:the machine )?([\w.-]*\w)\W*$/i.exec(goal)?.[1];
  return ids.find((id) => id === named) ?? local;
}

/**
 * Returns the reply that copies the project to the machine; `undefined` if the project is already
 * there, and `refused` if a file could not be written.
 */
export function bring(transcript: Transcript, machine: string): DemoReply | 'refused' | undefined {
  if (machine === local) return undefined;
  const written = callsOf(transcript, 'write_file').filter(
    ({ input }) => input['machine_id'] === machine,
  );
  const missing = [script, data].filter(
    (name) =>
      !written.some((call) => call.input['path'] === `${remoteFolder}/${name}` && succeeded(call)),
  );
  if (missing.length === 0) return undefined;
  if (written.some((call) => call.result !== undefined && !succeeded(call) && !isInterrupted(call)))
    return 'refused';
  const unread = missing.filter((name) => readCall(transcript, name) === undefined);
  if (unread.length > 0) return { text: '', calls: unread.map(reading) };
  const calls = missing.map((name) => writing(name, machine, readCall(transcript, name)));
  return { text: words.bringing(machine, remoteFolder), calls };
}

export const reading = (path: string): DemoCall => ({
  name: 'read_file',
  input: { machine_id: local, path, limit: 400 },
});

/** Returns the newest call that read the file and was not interrupted. */
export const readCall = (transcript: Transcript, path: string): PastCall | undefined =>
  callsOf(transcript, 'read_file').findLast(
    (call) => call.input['path'] === path && !isInterrupted(call),
  );

function writing(name: string, machine: string, read: PastCall | undefined): DemoCall {
  const { content } = fieldsOf(read?.result?.text ?? '');
  const input = {
    machine_id: machine,
    path: `${remoteFolder}/${name}`,
    content: `${withoutUntrustedMarks(String(content ?? ''))}\n`,
  };
  return { name: 'write_file', input };
}
