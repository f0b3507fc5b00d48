/** Interactive reads of history: bounded in rows, bytes and concurrency, and apart from capture's probes. */
@NullMarked
package dev.porcupine.query;

import org.jspecify.annotations.NullMarked;
