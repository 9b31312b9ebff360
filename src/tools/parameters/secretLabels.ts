/**
 * Restores text that the model saw only in a changed form: values of secrets (shown as labels),
 * marks and hidden characters.
 */
import { ToolFailure } from '../../base/errors.ts';
import { labelsIn, type Redactor } from '../../base/secrets/redactor.ts';
import { asHeld, mayBeInert } from '../../base/untrusted.ts';
import type { Machine } from '../../machines/machine.ts';

/** Restores the values of labels. Omitted if nothing is redacted. */
export type SecretValues = Pick<Redactor, 'restore'>;

const maxFileBytes = 50 * 1024 * 1024;

/**
 * Resolves with the text to write to the file: labels are replaced by their secret values, which
 * the file must contain now. Rejects with `ToolFailure` if the file does not contain one of these
 * values.
 */
export async function withSecretValues(
  text: string,
  { machine, path, secrets }: SecretPlace,
): Promise<string> {
  if (labelsIn(text).length === 0 && !mayBeInert(text)) return text;
  const stat = await machine.stat(path);
  const isReadable = stat?.isDirectory === false && stat.sizeBytes <= maxFileBytes;
  const held = isReadable ? Buffer.from(await machine.readFile(path)).toString('utf8') : '';
  return restored(text, { held, path, secrets });
}

interface SecretPlace {
  readonly machine: Pick<Machine, 'stat' | 'readFile'>;
  readonly path: string;
  readonly secrets: SecretValues | undefined;
}

/** Does the same for a file whose content `held` was already read. Throws `ToolFailure`. */
export function restored(
  text: string,
  { held, path, secrets }: { held: string; path: string; secrets: SecretValues | undefined },
): string {
  const marked = asHeld(text, held);
  const whole = secrets?.restore(marked, held) ?? marked;
  const [label] = labelsIn(whole);
  if (label === undefined) return whole;
  throw new ToolFailure(
    `Not written: ${label} stands for a secret value that is hidden from you, and ${path} does not contain this value. Read the value in the program instead, for example from an environment variable.`,
  );
}

/**
 * Returns why a command that contains a label must not run; `undefined` for a command without
 * labels.
 */
export function labelRefusal(input: unknown): string | undefined {
  const [label] = labelsIn(JSON.stringify(input) ?? '');
  return label === undefined
    ? undefined
    : `Not run: ${label} stands for a secret value that is hidden from you, so a command cannot contain it. Let the command read the value itself, for example from an environment variable or a file.`;
}
