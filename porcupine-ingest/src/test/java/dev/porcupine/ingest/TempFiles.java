package dev.porcupine.ingest;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import org.springframework.util.FileSystemUtils;

/** Thousands of small ledgers would fill a small disk before the test ends. */
final class TempFiles {

    private TempFiles() {}

    static void delete(Path folder) {
        try {
            FileSystemUtils.deleteRecursively(folder);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
