/** Lines without secrets, as Helios reads them: output of training, source files, git logs. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { random } from './random.ts';

const maxFileChars = 2_000_000;
const sourceFile = /\.(?:[cm]?[jt]s|json|md|py|sh|ya?ml|toml|html|css)$/;

/** Yields the texts of source files below the folder, in the order of their names. */
export function* sourceTexts(folder: string): Generator<string> {
  const entries = readdirSync(folder, { withFileTypes: true });
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) yield* sourceTexts(file);
    if (!entry.isFile() || !sourceFile.test(entry.name)) continue;
    const text = readFileSync(file, 'utf8');
    if (text.length <= maxFileChars) yield text;
  }
}

/** Returns the log of this repository with its changes; empty without git or history. */
export function gitLog(maxCommits: number): string {
  try {
    return execFileSync('git', ['log', '-p', '-n', String(maxCommits), '--', 'src', 'docs'], {
      encoding: 'utf8',
      maxBuffer: 512 * 1024 * 1024,
    });
  } catch {
    return '';
  }
}

const next = random(11);
const whole = (limit: number): number => Math.floor(next() * limit);
const drawn = (letters: string, count: number): string =>
  Array.from({ length: count }, () => letters[whole(letters.length)]).join('');
const hex = (count: number): string => drawn('0123456789abcdef', count);
const base36 = (count: number): string => drawn('0123456789abcdefghijklmnopqrstuvwxyz', count);
const value = (): string => (next() * 5).toFixed(4);
const uuid = (): string => `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`;

const shapes: readonly (() => string)[] = [
  () =>
    `step=${whole(1e6)} loss=${value()} lr=${(next() * 1e-3).toExponential(3)} tokens=${whole(1e9)}`,
  () => `{"step": ${whole(1e5)}, "train/loss": ${value()}, "tokens_per_second": ${whole(1e6)}}`,
  () =>
    `{'loss': ${value()}, 'grad_norm': ${value()}, 'learning_rate': ${value()}, 'epoch': ${value()}}`,
  () =>
    `Epoch ${whole(9)}:  ${whole(100)}%|████▌     | ${whole(999)}/1000 [0${whole(9)}:12<00:48, ${value()}it/s, loss=${value()}, v_num=${whole(99)}]`,
  () =>
    `2026-11-2${whole(9)} 0${whole(9)}:1${whole(9)}:07,${whole(999)} INFO [trainer.py:${whole(900)}] saved checkpoints/run_${base36(8)}/epoch=${whole(99)}-step=${whole(9999)}.ckpt`,
  () =>
    `wandb: Syncing run ${['amber', 'wise', 'deep'][whole(3)]}-field-${whole(99)} (${base36(8)}) at https://wandb.ai/lab/nanogpt/runs/${base36(8)}`,
  () =>
    `GPU ${whole(8)}: NVIDIA H100 80GB HBM3 (UUID: GPU-${uuid()}) ${whole(100)}% ${whole(80)}°C ${whole(81559)}MiB / 81559MiB`,
  () => `Digest: sha256:${hex(64)} revision ${hex(40)} commit ${hex(7)}`,
  () =>
    `tokenizer: vocab_size=${whole(60000)} eos_token_id=${whole(60000)} pad_token='<pad>' unk_token="<unk>" max_token_length=${whole(99)}`,
  () =>
    `  File "/home/ada/.venv/lib/python3.11/site-packages/torch/nn/modules/module.py", line ${whole(2000)}, in _call_impl`,
  () =>
    `RuntimeError: Error(s) in loading state_dict: Missing key(s) in state_dict: "transformer.h.${whole(48)}.attn.key.weight", "lm_head.weight".`,
  () =>
    `slurm job ${whole(1e7)} on node${whole(99)} ranks ${whole(64)} MASTER_ADDR=10.0.${whole(255)}.${whole(255)} MASTER_PORT=${20000 + whole(9999)}`,
  () =>
    `Downloading shards: https://huggingface.co/datasets/roneneldan/TinyStories/resolve/${hex(40)}/data/train-0000${whole(4)}-of-00004-${hex(16)}.parquet`,
  () =>
    `<torch.cuda.Stream device=cuda:${whole(8)} cuda_stream=0x${hex(12)}> ptr 0x7f${hex(10)} seed ${whole(2 ** 31)}`,
  () =>
    `val ppl ${value()} · bleu ${value()} · acc@1 ${value()} (best ${value()} at step ${whole(1e5)}), key metric unchanged`,
  () =>
    `RUN_ID=r-${base36(16)} HYDRA_FULL_ERROR=1 WANDB_MODE=offline CUDA_VISIBLE_DEVICES=${whole(8)} OMP_NUM_THREADS=${whole(64)}`,
  () =>
    `  "input_ids": [${Array.from({ length: 12 }, () => whole(50257)).join(', ')}], "attention_mask": [1, 1, 0]`,
  () => `torch==2.${whole(9)}.${whole(3)}+cu121 --hash=sha256:${hex(64)}`,
  () =>
    `The capital token of the story: "Once upon a time, Lily had a secret key and a password for the garden."`,
  () =>
    `loaded ckpt model_${hex(32)}.safetensors in ${value()}s; token throughput ${whole(1e6)} tok/s, cache key ${hex(32)}`,
];

/** Returns lines of the output of training, the same in each process. */
export const trainingOutput = (lines: number): string =>
  Array.from({ length: lines }, (_, at) => shapes[at % shapes.length]?.() ?? '').join('\n');
