package dev.porcupine.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.porcupine.schema.EventUuid;
import dev.porcupine.schema.ProjectId;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** kill -9 of a real process under load. {@code porcupine.kills} (default 4) makes it longer, {@code porcupine.seed} repeats it. */
class KillTest {

    private static final int LINES_BEFORE_KILL_MAX = 1_500;

    @TempDir
    private Path dir;

    private final Set<Long> acceptedOnce = new HashSet<>();
    private final Set<Long> acknowledged = new HashSet<>();

    @Test
    void whatever_a_client_was_told_before_the_kill_holds_after_it() throws Exception {
        int kills = Integer.getInteger("porcupine.kills", 4);
        long seed = Long.getLong("porcupine.seed", System.nanoTime());
        System.out.println("KillTest seed " + seed);
        Random random = new Random(seed);
        try (Ledger ledger = Samples.open(dir)) {
            ledger.projects().create("shop");
        }
        for (int kill = 0; kill < kills; kill++) {
            loadAndKill(random, kill);
            checkLedger();
        }
        assertThat(acknowledged).hasSizeGreaterThan(100 * kills);
    }

    private void loadAndKill(Random random, int kill) throws IOException, InterruptedException {
        // half of the numbers are those of the last round: clients send again what they don't know to be stored
        long first = kill * 2_000L;
        int lines = 1 + random.nextInt(LINES_BEFORE_KILL_MAX);
        try (ChildJvm child = ChildJvm.start(
                LoadedChild.class, dir.toString(), Long.toString(random.nextLong()), Long.toString(first))) {
            for (int i = 0; i < lines; i++) {
                note(child.readLine());
            }
            child.kill();
            String late = child.readLine();
            while (late != null) {
                note(late);
                late = child.readLine();
            }
        }
    }

    private void note(@Nullable String line) {
        if (line == null) {
            throw new AssertionError("the child ended by itself");
        }
        // a line that the kill cut short tells nothing: its last number may be cut too
        if (!line.endsWith(" ")) {
            return;
        }
        for (String word : line.strip().split(" ", -1)) {
            long number = Long.parseLong(word.substring(1));
            if (word.charAt(0) == '+') {
                assertThat(acceptedOnce.add(number))
                        .as("event %d is new only once", number)
                        .isTrue();
            }
            acknowledged.add(number);
        }
    }

    private void checkLedger() {
        try (Ledger ledger = Samples.open(dir)) {
            assertThat(RawRows.counted(ledger)).isEqualTo(ledger.status());
            ProjectId project = ledger.projects().list().getFirst().id();
            List<Long> sorted = acknowledged.stream().sorted().toList();
            for (int from = 0; from < sorted.size(); from += 500) {
                List<Long> part = sorted.subList(from, Math.min(sorted.size(), from + 500));
                List<Verdict.Kind> kinds = Samples.kinds(Samples.accept(
                        ledger,
                        part.stream().map(n -> Samples.event(project, n)).toList()));
                assertThat(kinds).as("nothing acknowledged is missing").doesNotContain(Verdict.Kind.ACCEPTED);
            }
        }
        List<String> places = RawRows.query(dir, """
                select hex(uuid) from event_queue
                union all select hex(uuid) from event_quarantine
                union all select hex(uuid) from event_receipts
                """);
        Set<EventUuid> identities = new HashSet<>();
        for (String hex : places) {
            EventUuid uuid = EventUuid.ofBytes(HexFormat.of().parseHex(hex));
            assertThat(identities.add(uuid)).as("%s is in one place", uuid).isTrue();
        }
    }
}
