/**
 * The operating system that Helios runs on. `HELIOS_TEST_PLATFORM` replaces it in tests of a whole
 * window; all other tests pass the platform as an argument.
 */
export const currentPlatform = (): NodeJS.Platform =>
  (process.env['HELIOS_TEST_PLATFORM'] as NodeJS.Platform | undefined) ?? process.platform;
