/** Takes accepted events from the queue to history, and sets aside those that history refuses. */
@NullMarked
package dev.porcupine.delivery;

import org.jspecify.annotations.NullMarked;
