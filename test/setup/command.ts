import { spawn } from 'node:child_process';

interface CommandOptions {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
}

/** Runs a command to its end with its output captured; rejects with that output when it fails. */
export async function run(
  command: string,
  args: readonly string[],
  options: CommandOptions = {},
): Promise<string> {
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  }
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code !== 0)
    throw new Error(`${[command, ...args].join(' ')} ended with ${code}:\n${output.slice(-4000)}`);
  return output;
}
