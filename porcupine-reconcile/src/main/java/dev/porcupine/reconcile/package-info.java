/** Proves receipts from before the limit against the pinned history, until the ledger has converged. */
@NullMarked
package dev.porcupine.reconcile;

import org.jspecify.annotations.NullMarked;
