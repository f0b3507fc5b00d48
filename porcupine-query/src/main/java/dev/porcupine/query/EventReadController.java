package dev.porcupine.query;

import dev.porcupine.history.EventQuery;
import dev.porcupine.history.History;
import dev.porcupine.ledger.PendingRevisions;
import dev.porcupine.query.QuerySlots.Read;
import dev.porcupine.schema.Event;
import dev.porcupine.schema.EventIdentity;
import dev.porcupine.schema.EventUuid;
import dev.porcupine.schema.Problem;
import dev.porcupine.schema.ProblemException;
import dev.porcupine.schema.ProjectId;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Map;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import tools.jackson.core.exc.JacksonIOException;

/** Counts and shows the events of a project. Everything that can fail does so before the first byte of the answer. */
@RestController
@RequestMapping("/api/v1/projects/{id}/events")
final class EventReadController {

    private static final Logger log = LoggerFactory.getLogger(EventReadController.class);

    private final History history;
    private final PendingRevisions ledger;
    private final EventPages pages;
    private final NewestEvents newest;
    private final ProjectDirectory projects;
    private final QuerySlots slots;

    EventReadController(
            History history,
            PendingRevisions ledger,
            EventPages pages,
            NewestEvents newest,
            ProjectDirectory projects,
            QuerySlots slots) {
        this.history = history;
        this.ledger = ledger;
        this.pages = pages;
        this.newest = newest;
        this.projects = projects;
        this.slots = slots;
    }

    @GetMapping("/count")
    void count(@PathVariable String id, HttpServletRequest request, HttpServletResponse response) {
        ProjectId project = project(id);
        if (!parameters(request).isEmpty()) {
            throw new ProblemException(
                    Problem.PARAMETER_INVALID, "A count takes no parameters: it is that of the whole project");
        }
        slots.run(Read.COUNT, () -> {
            // The ledger first: a tombstone that is delivered in between is left out twice, never missed.
            long count = history.count(project, ledger.deleted(project));
            answer(response, out -> EventJson.writeCount(out, count));
        });
    }

    @GetMapping
    void page(@PathVariable String id, HttpServletRequest request, HttpServletResponse response) {
        EventQuery query = QueryParameters.read(project(id), parameters(request));
        slots.run(Read.PAGE, () -> {
            EventPage page = pages.read(query);
            answer(response, out -> EventJson.writePage(out, page));
        });
    }

    @GetMapping("/{uuid}")
    void event(@PathVariable String id, @PathVariable String uuid, HttpServletResponse response) {
        ProjectId project = project(id);
        EventUuid parsed = EventUuid.parse(uuid)
                .orElseThrow(() -> new ProblemException(
                        Problem.PARAMETER_INVALID, "The last part of the address must be a UUID, neither nil nor max"));
        slots.run(Read.EVENT, () -> {
            Event event = newest.read(new EventIdentity(project, parsed));
            response.setHeader(HttpHeaders.ETAG, "\"" + event.revision() + "\"");
            answer(response, out -> EventJson.writeEvent(out, event));
        });
    }

    private static Map<String, String[]> parameters(HttpServletRequest request) {
        try {
            return request.getParameterMap();
        } catch (IllegalStateException e) {
            // The servlet specification's answer to text that can't be decoded.
            throw new ProblemException(Problem.PARAMETER_INVALID, "The parameters can't be decoded");
        }
    }

    private ProjectId project(String id) {
        try {
            long number = Long.parseLong(id);
            if (number >= 1 && projects.exists(new ProjectId(number))) {
                return new ProjectId(number);
            }
        } catch (NumberFormatException e) {
            // Names no project, like a number that was never given.
        }
        throw new ProblemException(Problem.PROJECT_NOT_FOUND, "No project has the id of this address");
    }

    private static void answer(HttpServletResponse response, Consumer<OutputStream> body) {
        response.setContentType(MediaType.APPLICATION_JSON_VALUE);
        try {
            body.accept(response.getOutputStream());
        } catch (IOException | JacksonIOException e) {
            log.debug("A client went away while its answer was being written", e);
        }
    }
}
