package dev.porcupine.reconcile;

import static org.assertj.core.api.Assertions.assertThat;

import dev.porcupine.history.Histories;
import dev.porcupine.history.History;
import dev.porcupine.history.ProbeFailure;
import dev.porcupine.history.ProbePurpose;
import dev.porcupine.history.ProbeResult;
import dev.porcupine.history.VerifiedSource;
import dev.porcupine.schema.EventIdentity;
import dev.porcupine.schema.ProjectId;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** History fails for the first project only: that one is passed over until the next round. */
@Timeout(120)
class StepOverTest {

    @TempDir
    Path dir;

    /** Each stall costs two seconds and up to seven of lookup, so their number must not grow with the project. */
    @Test
    void a_large_project_that_history_fails_for_does_not_keep_the_next_from_being_proven() {
        int receipts = 20_000;
        ProjectId[] failing = new ProjectId[1];
        try (ReconcileRig rig = new ReconcileRig(dir, failingFor(Histories.embedded(dir), failing), 2, receipts, 100)) {
            rig.putIntoHistory(0, receipts);
            failing[0] = rig.projects.getFirst();
            int stalls = 0;
            boolean proven = false;
            for (int n = 0; n < 2_000 && !proven; n++) {
                ReconcileOutcome outcome = rig.pass.run();
                stalls += outcome instanceof ReconcileOutcome.Stalled ? 1 : 0;
                proven = outcome instanceof ReconcileOutcome.Looked(int found, int missing) && found > 0;
            }
            assertThat(proven).isTrue();
            assertThat(stalls).isLessThanOrEqualTo(10);
        }
    }

    private static History failingFor(History real, ProjectId[] failing) {
        return (History) Proxy.newProxyInstance(
                History.class.getClassLoader(), new Class<?>[] {History.class}, (proxy, method, args) -> {
                    if (method.getName().equals("probe")) {
                        return probe(real, failing[0], (VerifiedSource) args[0], args[1], args[2], args[3]);
                    }
                    try {
                        return method.invoke(real, args);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    @SuppressWarnings("unchecked")
    private static ProbeResult probe(
            History real, ProjectId failing, VerifiedSource source, Object asked, Object total, Object purpose) {
        Set<EventIdentity> identities = (Set<EventIdentity>) asked;
        if (failing != null && identities.stream().anyMatch(it -> it.project().equals(failing))) {
            return new ProbeResult.Failed(ProbeFailure.LIMIT, "too many bytes to read");
        }
        return real.probe(source, identities, (java.time.Duration) total, (ProbePurpose) purpose);
    }
}
