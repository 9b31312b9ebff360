/** Minimum, maximum and default interval between the check-ins of a monitor, in minutes. */
export const monitorMinutes = { min: 0.25, max: 24 * 60, usual: 2 };
