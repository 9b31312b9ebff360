/** Secrets in files that only their owner reads. */
export { readSecretFile, secretKeeper } from '../storage/secretFiles.ts';
