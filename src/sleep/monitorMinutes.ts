/** How often a monitor may check in, in minutes. */
export const monitorMinutes = { min: 0.25, max: 24 * 60, usual: 2 };
