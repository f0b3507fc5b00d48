package dev.porcupine.testkit;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;
import java.util.List;

/**
 * The child process: a JVM that hands itself to the ClickHouse engine. It serves HTTP until its standard input closes,
 * which happens at the latest when its parent dies. Uses nothing but the JDK, so its class path is the testkit alone.
 *
 * <p>Arguments: the engine library, the configuration file.
 */
public final class EngineMain {

    /** The engine's parser and planner recurse deeply; a Java thread's usual 1 MB is not enough. */
    private static final long STACK_BYTES = 64L << 20;

    private EngineMain() {}

    public static void main(String[] arguments) throws InterruptedException {
        Path library = Path.of(arguments[0]);
        Path config = Path.of(arguments[1]);
        Thread engine = new Thread(null, () -> serve(library, config), "clickhouse", STACK_BYTES);
        engine.start();
        engine.join();
    }

    private static void serve(Path library, Path config) {
        int status = 70;
        try {
            status = run(library, config);
        } catch (Throwable failure) {
            failure.printStackTrace(System.err);
        } finally {
            // Not System.exit: the engine's own threads are still there and would race the JVM's shutdown.
            Runtime.getRuntime().halt(status);
        }
    }

    @SuppressWarnings("restricted") // calling native code is what this class is for
    private static int run(Path library, Path config) throws Throwable {
        Linker linker = Linker.nativeLinker();
        SymbolLookup symbols = SymbolLookup.libraryLookup(library, Arena.global());

        // Before anything else: the engine would take the JVM's SIGSEGV handler, and then an ordinary null check kills
        // this process.
        MethodHandle setSignalHandlers = linker.downcallHandle(
                symbols.findOrThrow("chdb_set_signal_handlers_enabled"),
                FunctionDescriptor.ofVoid(ValueLayout.JAVA_INT));
        setSignalHandlers.invokeExact(0);

        MethodHandle queryCommandLine = linker.downcallHandle(
                symbols.findOrThrow("chdb_query_cmdline"),
                FunctionDescriptor.of(ValueLayout.ADDRESS, ValueLayout.JAVA_INT, ValueLayout.ADDRESS));
        MethodHandle resultError = linker.downcallHandle(
                symbols.findOrThrow("chdb_result_error"),
                FunctionDescriptor.of(ValueLayout.ADDRESS, ValueLayout.ADDRESS));

        List<String> command = List.of(
                "clickhouse",
                "--config-file=" + config,
                "--query",
                "SYSTEM START LISTEN HTTP",
                "--query",
                // Ends when standard input does.
                "SELECT count() FROM file('/dev/stdin', 'LineAsString') FORMAT Null");
        MemorySegment argv = Arena.global().allocate(ValueLayout.ADDRESS, command.size() + 1L);
        for (int i = 0; i < command.size(); i++) {
            argv.setAtIndex(ValueLayout.ADDRESS, i, Arena.global().allocateFrom(command.get(i)));
        }
        MemorySegment result = (MemorySegment) queryCommandLine.invokeExact(command.size(), argv);
        if (result.address() == 0) {
            System.err.println("the engine returned nothing");
            return 71;
        }
        MemorySegment error = (MemorySegment) resultError.invokeExact(result);
        if (error.address() == 0) {
            return 0;
        }
        System.err.println(error.reinterpret(Long.MAX_VALUE).getString(0));
        return 72;
    }
}
