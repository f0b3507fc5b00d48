package dev.porcupine.ingest;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.extension.AnnotatedElementContext;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.io.TempDirFactory;

/**
 * A folder in memory where the system has one. A random schedule waits for nothing but fsyncs; what survives a power cut is another
 * test's question.
 */
final class MemoryTempDir implements TempDirFactory {

    private static final Path MEMORY = Path.of("/dev/shm");
    private static final String PREFIX = "porcupine-model";

    /** Far more than the ledgers of one group of schedules take. */
    private static final long FREE_BYTES_MIN = 256L << 20;

    @Override
    public Path createTempDirectory(AnnotatedElementContext element, ExtensionContext test) throws IOException {
        boolean usable = Files.isDirectory(MEMORY)
                && Files.isWritable(MEMORY)
                && Files.getFileStore(MEMORY).getUsableSpace() >= FREE_BYTES_MIN;
        return usable ? Files.createTempDirectory(MEMORY, PREFIX) : Files.createTempDirectory(PREFIX);
    }
}
