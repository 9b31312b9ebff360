import type {
  JobRequest,
  JobState,
  MachineFailure,
  Scheduler,
} from '../../src/machines/machine.ts';

/** What a scheduler answers, and what it was asked for. */
export class ScriptedScheduler implements Scheduler {
  mayRequeue = false;
  jobId: string | undefined = '4711';
  jobState: JobState = { kind: 'running', node: 'n1' };
  /** What the node prints, or why it does not. */
  answer: string | MachineFailure = 'signalled=77\nescalated=0\nleft=\n';
  readonly asked: string[] = [];
  readonly requests: JobRequest[] = [];
  /** Of what is submitted. */
  refusal: MachineFailure | undefined;
  onCancel: () => void = () => undefined;

  submit(request: JobRequest): Promise<readonly string[]> {
    this.requests.push(request);
    const ids = request.elements.map((_, index) => `4711_${index}`);
    return this.refusal === undefined ? Promise.resolve(ids) : Promise.reject(this.refusal);
  }

  find(name: string): Promise<string | undefined> {
    this.asked.push(`find ${name}`);
    return Promise.resolve(this.jobId);
  }

  state(jobId: string, { isUrgent = false } = {}): Promise<JobState> {
    this.asked.push(`state ${jobId}${isUrgent ? ' at once' : ''}`);
    return Promise.resolve(this.jobState);
  }

  onNode(job: { id: string; name: string }, script: string, timeoutMs: number): Promise<string> {
    this.asked.push(
      `on the node of ${job.id} (${job.name}): ${script.replace(/^.*capsule\.sh'? /, '')}, ${timeoutMs} ms`,
    );
    return typeof this.answer === 'string'
      ? Promise.resolve(this.answer)
      : Promise.reject(this.answer);
  }

  cancel(jobId: string): Promise<void> {
    this.asked.push(`cancel ${jobId}`);
    return Promise.resolve().then(() => this.onCancel());
  }
}
