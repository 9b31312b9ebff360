/**
 * Where tests look at processes behind the back of what they test. `HELIOS_TEST_PROC` is where /proc
 * stands on an emulated Mac, which has none itself.
 */
export const procFolder = process.env['HELIOS_TEST_PROC'] ?? '/proc';
