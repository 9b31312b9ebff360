/**
 * Asks for an approval in a real terminal once a line arrives on file 3. For `inTerminal.py`, which
 * types before and after that.
 */
import { createReadStream } from 'node:fs';
import type { ApprovalRequest } from '../../src/agent/contract/ports.ts';
import { askUser } from '../../src/cli/approvals.ts';

process.stdout.write('READY\n');
await new Promise((resolve) => createReadStream('', { fd: 3 }).once('data', resolve));
const request = { title: 'Run rm', effect: 'execute', detail: 'command: rm x' };
const answer = await askUser(
  request as ApprovalRequest,
  process as unknown as Parameters<typeof askUser>[1],
  new AbortController().signal,
);
process.stdout.write(`ANSWER ${answer}\n`);
process.exit(0);
