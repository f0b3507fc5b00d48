/** Capture and project HTTP: reads what SDKs send, and asks the ledger to accept it. */
@NullMarked
package dev.porcupine.ingest;

import org.jspecify.annotations.NullMarked;
