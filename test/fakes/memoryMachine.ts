import { LocalMachine } from '../../src/machines/local/localMachine.ts';
import { MachineFailure, type FollowSink, type Machine } from '../../src/machines/machine.ts';

interface MemoryFile {
  readonly text: string;
  readonly modifiedMs?: number;
}

/**
 * A machine whose files are here, by path: it answers at once, so that a test on a manual clock
 * knows each moment. It fails with `failure` while there is one, and notes what it was asked to
 * write and follow.
 */
export class MemoryMachine {
  readonly files = new Map<string, MemoryFile>();
  readonly written: string[] = [];
  failure: MachineFailure | undefined;
  /** Of the last file that was followed. */
  sink: FollowSink | undefined;
  /** What `drain` gives out. */
  unread = '';
  isFollowed = false;
  /** Where the last file is followed from. */
  followedFrom: number | undefined;
  readonly machine: Machine;

  constructor(runsFolder = '/h/runs') {
    const answered = <T>(answer: () => T): Promise<T> => {
      if (this.failure !== undefined) return Promise.reject(this.failure);
      return Promise.resolve().then(answer);
    };
    this.machine = Object.assign(new LocalMachine({ runsFolder, workFolder: '/' }), {
      stat: (path: string) =>
        answered(() => {
          const file = this.files.get(path);
          return (
            file && {
              sizeBytes: file.text.length,
              modifiedMs: file.modifiedMs ?? 0,
              isDirectory: false,
            }
          );
        }),
      readFile: (path: string): Promise<Uint8Array> =>
        answered(() => {
          const file = this.files.get(path);
          if (file === undefined) throw new MachineFailure('missing', path);
          return Buffer.from(file.text);
        }),
      writeFile: (path: string, content: Uint8Array) =>
        answered(() => {
          const text = Buffer.from(content).toString();
          this.files.set(path, { text });
          this.written.push(`${path}: ${text}`);
        }),
      follow: (_: string, offset: number, sink: FollowSink) => {
        this.sink = sink;
        this.followedFrom = offset;
        this.isFollowed = true;
        const drain = (): Promise<void> =>
          answered(() => {
            if (this.unread !== '') void sink.onBytes(Buffer.from(this.unread), offset);
            this.unread = '';
          });
        return { drain, dispose: () => (this.isFollowed = false) };
      },
    });
  }

  put(path: string, text: string, modifiedMs = 0): void {
    this.files.set(path, { text, modifiedMs });
  }
}
