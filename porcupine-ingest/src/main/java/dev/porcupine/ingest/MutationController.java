package dev.porcupine.ingest;

import dev.porcupine.ingest.MutationMetrics.Kind;
import dev.porcupine.ingest.MutationMetrics.Outcome;
import dev.porcupine.ledger.Projects;
import dev.porcupine.schema.Event;
import dev.porcupine.schema.EventIdentity;
import dev.porcupine.schema.EventText;
import dev.porcupine.schema.EventUuid;
import dev.porcupine.schema.Problem;
import dev.porcupine.schema.ProblemException;
import dev.porcupine.schema.ProjectId;
import dev.porcupine.schema.Ticker;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Collections;
import java.util.function.Supplier;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.PatchMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** Changes and deletes single events. Who may call this is decided in front of it. */
@RestController
@RequestMapping("/api/v1/projects/{id}/events/{uuid}")
final class MutationController {

    private static final String MERGE_PATCH = "application/merge-patch+json";
    private static final long MICROS_PER_MILLI = 1_000;

    private final MutationDoor door;
    private final Projects projects;
    private final CaptureLimits limits;
    private final BodyBudget budget;
    private final InstantSource clock;
    private final MutationMetrics metrics;

    MutationController(
            MutationDoor door,
            Projects projects,
            CaptureLimits limits,
            BodyBudget budget,
            InstantSource clock,
            MutationMetrics metrics) {
        this.door = door;
        this.projects = projects;
        this.limits = limits;
        this.budget = budget;
        this.clock = clock;
        this.metrics = metrics;
    }

    @PatchMapping(consumes = {MERGE_PATCH, MediaType.APPLICATION_JSON_VALUE})
    void patch(
            @PathVariable String id,
            @PathVariable String uuid,
            HttpServletRequest request,
            HttpServletResponse response)
            throws IOException {
        try (BodyBudget.Charge charge = budget.open()) {
            answer(
                    response,
                    measured(Kind.PATCH, () -> {
                        EventIdentity identity = identity(id, uuid);
                        IfMatch condition = condition(request);
                        EventPatch patch = EventPatch.read(
                                body(request, charge), clock.instant().toEpochMilli() * MICROS_PER_MILLI, limits);
                        return door.mutate(identity, new Change.Patch(patch, new PatchCost(charge)), condition);
                    }),
                    uuid);
        }
    }

    @DeleteMapping
    void delete(
            @PathVariable String id,
            @PathVariable String uuid,
            HttpServletRequest request,
            HttpServletResponse response)
            throws IOException {
        answer(
                response,
                measured(Kind.DELETE, () -> door.mutate(identity(id, uuid), new Change.Delete(), condition(request))),
                uuid);
    }

    private MutationAnswer measured(Kind kind, Supplier<MutationAnswer> mutation) {
        long start = System.nanoTime();
        Outcome outcome = Outcome.FAILED;
        try {
            MutationAnswer answer = mutation.get();
            outcome = switch (answer) {
                case MutationAnswer.Changed _ -> Outcome.CHANGED;
                case MutationAnswer.Deleted(long _, boolean repeated) -> repeated ? Outcome.REPEATED : Outcome.CHANGED;
                case MutationAnswer.Refused refused -> MutationMetrics.of(refused.problem());
            };
            return answer;
        } catch (ProblemException e) {
            outcome = MutationMetrics.of(e.problem());
            throw e;
        } finally {
            metrics.ended(kind, outcome, Duration.ofNanos(System.nanoTime() - start));
        }
    }

    private static void answer(HttpServletResponse response, MutationAnswer answer, String uuid) throws IOException {
        switch (answer) {
            case MutationAnswer.Changed(Event revision) -> write(response, revision.revision(), EventText.of(revision));
            case MutationAnswer.Deleted(long revision, boolean _) ->
                write(
                        response,
                        revision,
                        "{\"uuid\":\"" + uuid(uuid) + "\",\"revision\":" + revision + ",\"deleted\":true}");
            case MutationAnswer.Refused refused -> {
                if (refused.current() != null) {
                    tag(response, refused.current());
                }
                throw new ProblemException(refused.problem(), refused.detail());
            }
        }
    }

    private static void write(HttpServletResponse response, long revision, String json) throws IOException {
        byte[] body = json.getBytes(StandardCharsets.UTF_8);
        tag(response, revision);
        response.setContentType(MediaType.APPLICATION_JSON_VALUE);
        response.setContentLength(body.length);
        response.getOutputStream().write(body);
    }

    private static void tag(HttpServletResponse response, long revision) {
        response.setHeader(HttpHeaders.ETAG, "\"" + revision + "\"");
    }

    private Slice body(HttpServletRequest request, BodyBudget.Charge charge) {
        String encoding = request.getHeader(HttpHeaders.CONTENT_ENCODING);
        if (encoding != null && !encoding.equalsIgnoreCase("identity")) {
            throw new ProblemException(Problem.MEDIA_TYPE_UNSUPPORTED, "a patch is sent without Content-Encoding");
        }
        if (request.getContentLengthLong() > limits.eventBytesMax()) {
            throw new ProblemException(Problem.BODY_TOO_LARGE, "a patch may have " + limits.eventBytesMax() + " bytes");
        }
        try {
            return PatchBody.read(request.getInputStream(), limits, charge, Ticker.system());
        } catch (IOException e) {
            throw new ProblemException(Problem.BODY_UNREADABLE, "the body can't be read");
        }
    }

    private static IfMatch condition(HttpServletRequest request) {
        Iterable<String> headers = Collections.list(request.getHeaders(HttpHeaders.IF_MATCH));
        String all = String.join(",", headers);
        return IfMatch.parse(headers.iterator().hasNext() ? all : null);
    }

    private EventIdentity identity(String id, String uuid) {
        ProjectId project = project(id);
        return new EventIdentity(project, uuid(uuid));
    }

    private static EventUuid uuid(String uuid) {
        return EventUuid.parse(uuid)
                .orElseThrow(() -> new ProblemException(
                        Problem.PARAMETER_INVALID, "The last part of the address must be a UUID, neither nil nor max"));
    }

    private ProjectId project(String id) {
        try {
            long number = Long.parseLong(id);
            if (number >= 1 && projects.find(new ProjectId(number)).isPresent()) {
                return new ProjectId(number);
            }
        } catch (NumberFormatException e) {
            // Names no project, like a number that was never given.
        }
        throw new ProblemException(Problem.PROJECT_NOT_FOUND, "No project has the id of this address");
    }
}
