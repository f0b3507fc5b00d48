package dev.porcupine.ingest;

import dev.porcupine.ledger.Removal;
import dev.porcupine.ledger.Removals;
import dev.porcupine.schema.Problem;
import dev.porcupine.schema.ProblemException;
import dev.porcupine.schema.ProjectId;
import java.net.URI;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** Asks for a project's removal and shows how it goes (P2). The work is done elsewhere. */
@RestController
@RequestMapping("/api/v1/projects/{id}")
final class RemovalController {

    private final Removals removals;
    private final CaptureRecord record;

    RemovalController(Removals removals, CaptureRecord record) {
        this.removals = removals;
        this.record = record;
    }

    /**
     * @param stage {@code queue}, {@code delivery}, {@code history}, {@code receipts}, {@code done}
     * @param waitingFor what keeps it from going on; null while it gets on
     * @param left rows that the ledger still has, each counted to 100,000 at most
     */
    record RemovalView(
            long id,
            String stage,
            Instant requestedAt,
            Instant stageSince,
            @Nullable String waitingFor,
            Removal.Removed removed,
            Removals.Left left) {}

    @DeleteMapping
    ResponseEntity<RemovalView> remove(@PathVariable String id) {
        Removal removal = of(id, removals::begin);
        record.forget(removal.project());
        return ResponseEntity.accepted()
                .location(URI.create("/api/v1/projects/" + removal.project() + "/removal"))
                .body(view(removal));
    }

    @GetMapping("/removal")
    RemovalView removal(@PathVariable String id) {
        return view(of(id, removals::find));
    }

    private static Removal of(String id, Function<ProjectId, Optional<Removal>> removals) {
        long number = ProjectController.positive(id);
        return Optional.of(number)
                .filter(positive -> positive > 0)
                .flatMap(positive -> removals.apply(new ProjectId(positive)))
                .orElseThrow(() -> new ProblemException(
                        Problem.PROJECT_NOT_FOUND,
                        "no project with the id " + Rejection.cut(id) + " is there to remove, or was removed"));
    }

    private RemovalView view(Removal removal) {
        return new RemovalView(
                removal.project().value(),
                removal.stage().word(),
                Instant.ofEpochMilli(removal.requestedAtMillis()),
                Instant.ofEpochMilli(removal.stageSinceMillis()),
                removals.obstacle(removal.project()).orElse(null),
                removal.removed(),
                removals.left(removal.project()));
    }
}
