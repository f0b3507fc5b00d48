@NullMarked
package dev.porcupine.delivery;

import org.jspecify.annotations.NullMarked;
