/** The version of Helios, as the command line and the record of a session name it. */
export const heliosVersion = '0.1.0';
