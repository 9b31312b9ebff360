/** VS Code's `LogOutputChannel` has these methods, so it is a `Logger` as it stands. */
export interface Logger {
  debug(message: string, ...details: unknown[]): void;
  info(message: string, ...details: unknown[]): void;
  warn(message: string, ...details: unknown[]): void;
  error(message: string | Error, ...details: unknown[]): void;
}

const nothing = (): void => undefined;
export const silentLogger: Logger = {
  debug: nothing,
  info: nothing,
  warn: nothing,
  error: nothing,
};
