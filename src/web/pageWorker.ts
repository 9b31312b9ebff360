/**
 * Worker thread that parses untrusted content. If the parsing takes too much time or memory, the
 * main thread terminates the worker.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { messageOf } from '../base/errors.ts';
import type { PageAnswers, PageJob, PageReply } from './pageJob.ts';

async function answer(job: PageJob): Promise<PageAnswers[PageJob['kind']]> {
  switch (job.kind) {
    case 'html':
      return (await import('./readHtml.ts')).readHtml(job.html, job.url);
    case 'pdf':
      return (await import('./readPdf.ts')).readPdf(job.bytes);
    case 'hits':
      return (await import('./readHits.ts')).readHits(job.html);
  }
}

const reply: PageReply = await answer(workerData as PageJob).then(
  (read) => ({ answer: read }),
  (error: unknown) => ({ problem: messageOf(error) }),
);
parentPort?.postMessage(reply);
