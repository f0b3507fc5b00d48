/** Load on a running service, cheap enough to share two cores with it. */
@NullMarked
package dev.porcupine.bench;

import org.jspecify.annotations.NullMarked;
