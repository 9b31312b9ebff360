/** The version of Helios, for the command line and the journal. */
export const heliosVersion = '0.1.0';
