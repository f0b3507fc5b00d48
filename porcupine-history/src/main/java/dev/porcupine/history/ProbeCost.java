package dev.porcupine.history;

/**
 * What a complete probe cost the server, by its own statistics.
 *
 * @param rowsRead physical rows
 * @param bytesRead uncompressed bytes
 */
record ProbeCost(long rowsRead, long bytesRead) {}
