/** How often a monitor may check in, in minutes. */
export const monitorMinutes = { least: 0.25, most: 24 * 60, usual: 2 };
