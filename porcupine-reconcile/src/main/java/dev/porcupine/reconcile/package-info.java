/** Proves receipts from before the limit against the pinned history until the ledger has converged, and removes projects from both stores. */
@NullMarked
package dev.porcupine.reconcile;

import org.jspecify.annotations.NullMarked;
