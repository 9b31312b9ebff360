/** The programs that only read, each with the options that do not make it write. */
import { fileReaders } from './files.ts';
import type { Reader } from './reader.ts';
import { systemReaders } from './system.ts';
import { textReaders } from './texts.ts';

const readers: Readonly<Record<string, Reader>> = {
  ...fileReaders,
  ...textReaders,
  ...systemReaders,
};

/** Returns the reader named `program`; `undefined` if the program may do more than read. */
export const readerOf = (program: string): Reader | undefined =>
  Object.hasOwn(readers, program) ? readers[program] : undefined;
