@NullMarked
package dev.porcupine.query;

import org.jspecify.annotations.NullMarked;
