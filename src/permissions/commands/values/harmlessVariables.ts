import type { ShellWord } from '../../../shell/shellCommand.ts';

const names =
  'CUDA_VISIBLE_DEVICES CUDA_LAUNCH_BLOCKING CUDA_DEVICE_ORDER OMP_NUM_THREADS MKL_NUM_THREADS ' +
  'OPENBLAS_NUM_THREADS NUMEXPR_NUM_THREADS PYTHONUNBUFFERED PYTHONHASHSEED ' +
  'PYTHONDONTWRITEBYTECODE TOKENIZERS_PARALLELISM WANDB_MODE WANDB_DISABLED WANDB_SILENT ' +
  'HF_HUB_OFFLINE HF_DATASETS_OFFLINE TRANSFORMERS_OFFLINE NCCL_DEBUG JAX_PLATFORMS ' +
  'TF_CPP_MIN_LOG_LEVEL SEED LC_ALL LC_CTYPE LC_COLLATE LC_NUMERIC LC_TIME LANG COLUMNS NO_COLOR';
const pattern = new RegExp(
  `^(?:(?:${names.replaceAll(' ', '|')}|XLA_PYTHON_CLIENT_\\w+)=[\\w.,:-]*` +
    '|TZ=[A-Za-z]+(?:/[A-Za-z_]+)*(?:[+-]?\\d+)?)$',
);

/**
 * Returns true for an assignment before a command (`NAME=value COMMAND`) that changes neither which
 * programs run nor what the command does to files.
 */
export const isHarmlessVariable = ({ text, isDynamic, isQuoted }: ShellWord): boolean =>
  !isDynamic && !isQuoted && pattern.test(text);
