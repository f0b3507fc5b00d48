package dev.porcupine.delivery;

import dev.porcupine.ledger.Ledger;
import dev.porcupine.ledger.Quarantine;
import dev.porcupine.ledger.QuarantinedEvent;
import dev.porcupine.schema.Problem;
import dev.porcupine.schema.ProblemException;
import dev.porcupine.schema.ProjectId;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** Lets an operator see the events that history refused, and send them again once the cause is gone (P55). */
@RestController
@RequestMapping("/api/v1/projects/{id}/quarantine")
final class QuarantineController {

    private static final int LIMIT_DEFAULT = 100;
    private static final int LIMIT_MAX = 1_000;

    /** Payload bytes after which a page ends early: an answer is built in memory, and a thousand events may be a gigabyte. */
    private static final long PAGE_BYTES_MAX = 16L << 20;

    /** Events read at once, so that no more than this many large ones are held beyond the page's bytes. */
    private static final int CHUNK = 16;

    private final Ledger ledger;
    private final QuarantineExport export;

    QuarantineController(Ledger ledger) {
        this.ledger = ledger;
        this.export = new QuarantineExport(ledger);
    }

    /**
     * @param next what to pass as {@code after} for the next page; null at the end
     */
    record Page(List<QuarantineEntry> quarantined, @Nullable Long next) {}

    record Requeued(long seq, String status) {}

    /**
     * @param status {@code queued}, or why entries are left: {@code queue_full} for want of room, {@code more} for want of time
     */
    record RequeuedAll(int requeued, String status) {}

    @GetMapping
    Page list(
            @PathVariable String id,
            @RequestParam(required = false) @Nullable String after,
            @RequestParam(required = false) @Nullable String limit) {
        ProjectId project = project(id);
        long seq = number("after", after, 0, 0, Long.MAX_VALUE);
        int rowsMax = (int) number("limit", limit, LIMIT_DEFAULT, 1, LIMIT_MAX);
        List<QuarantineEntry> entries = new ArrayList<>();
        long bytes = 0;
        while (entries.size() < rowsMax && bytes < PAGE_BYTES_MAX) {
            int wanted = Math.min(CHUNK, rowsMax - entries.size());
            List<QuarantinedEvent> chunk = ledger.quarantine().list(project, seq, wanted);
            for (QuarantinedEvent quarantined : chunk) {
                seq = quarantined.seq();
                bytes += quarantined.event().properties().length;
                entries.add(QuarantineEntry.of(quarantined));
            }
            if (chunk.size() < wanted) {
                return new Page(entries, null);
            }
        }
        return new Page(entries, seq);
    }

    @PostMapping("/{seq}/retry")
    @ResponseStatus(HttpStatus.ACCEPTED)
    Requeued retry(@PathVariable String id, @PathVariable String seq) {
        ProjectId project = project(id);
        long entry = positive(seq);
        if (entry < 1 || !ledger.quarantine().retry(project, entry)) {
            throw new ProblemException(
                    Problem.QUARANTINE_ENTRY_NOT_FOUND,
                    "Project " + project + " has no quarantined event of that seq; it may have been retried already");
        }
        return new Requeued(entry, "queued");
    }

    @PostMapping("/retry")
    @ResponseStatus(HttpStatus.ACCEPTED)
    RequeuedAll retryAll(@PathVariable String id) {
        Quarantine.Retried retried = ledger.quarantine().retryAll(project(id));
        if (retried.left() == Quarantine.Left.NO_ROOM && retried.requeued() == 0) {
            throw new ProblemException(Problem.QUEUE_FULL, "the queue has no room for the oldest quarantined event");
        }
        return new RequeuedAll(
                retried.requeued(),
                switch (retried.left()) {
                    case NOTHING -> "queued";
                    case NO_ROOM -> "queue_full";
                    case MORE -> "more";
                });
    }

    /** The length is said, so that a client can tell a download that was cut. */
    @GetMapping("/export")
    void export(@PathVariable String id, HttpServletResponse response) throws IOException {
        ProjectId project = project(id);
        try (QuarantineExport.Lines lines = export.of(project)) {
            response.setContentType("application/x-ndjson");
            response.setContentLengthLong(lines.bytes());
            response.setHeader("Content-Disposition", "attachment; filename=\"quarantine-" + project + ".ndjson\"");
            lines.sendTo(response.getOutputStream());
        }
    }

    private ProjectId project(String id) {
        long number = positive(id);
        if (number < 1 || ledger.projects().find(new ProjectId(number)).isEmpty()) {
            throw new ProblemException(Problem.PROJECT_NOT_FOUND, "No project has the id of this address");
        }
        return new ProjectId(number);
    }

    /** The number that names something in the address, or 0, which names nothing. */
    private static long positive(String text) {
        try {
            return Math.max(0, Long.parseLong(text));
        } catch (NumberFormatException e) {
            return 0;
        }
    }

    private static long number(String name, @Nullable String text, long absent, long min, long max) {
        if (text == null || text.isEmpty()) {
            return absent;
        }
        try {
            long number = Long.parseLong(text);
            if (number >= min && number <= max) {
                return number;
            }
        } catch (NumberFormatException e) {
            // Said below, as for a number out of range.
        }
        throw new ProblemException(
                Problem.PARAMETER_INVALID, name + " must be a whole number from " + min + " to " + max);
    }
}
