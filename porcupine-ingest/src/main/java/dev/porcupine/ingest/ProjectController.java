package dev.porcupine.ingest;

import dev.porcupine.ledger.CreatedProject;
import dev.porcupine.ledger.IssuedToken;
import dev.porcupine.ledger.Project;
import dev.porcupine.ledger.ProjectToken;
import dev.porcupine.ledger.Projects;
import dev.porcupine.schema.Problem;
import dev.porcupine.schema.ProblemException;
import dev.porcupine.schema.ProjectId;
import java.net.URI;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.CacheControl;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** Projects, their tokens, and what capture remembers of them. Who may call this is decided in front of it. */
@RestController
@RequestMapping("/api/v1/projects")
final class ProjectController {

    private final Projects projects;
    private final CaptureRecord record;

    ProjectController(Projects projects, CaptureRecord record) {
        this.projects = projects;
        this.record = record;
    }

    record NewProject(@Nullable String name) {}

    /** The only answer that holds a secret, with {@link IssuedTokenView}. */
    record CreatedProjectView(long id, String name, String token, long tokenId, Instant createdAt) {}

    record ProjectView(long id, String name, Instant createdAt) {

        static ProjectView of(Project project) {
            return new ProjectView(
                    project.id().value(), project.name(), Instant.ofEpochMilli(project.createdAtMillis()));
        }
    }

    record ProjectList(List<ProjectView> projects) {}

    record IssuedTokenView(long tokenId, String token) {}

    record TokenView(long tokenId, String hint, Instant createdAt) {

        static TokenView of(ProjectToken token) {
            return new TokenView(token.id(), token.hint(), Instant.ofEpochMilli(token.createdAtMillis()));
        }
    }

    record TokenList(List<TokenView> tokens) {}

    record RejectionList(List<Rejection> rejections) {}

    record ConflictList(List<Conflict> conflicts) {}

    @PostMapping
    ResponseEntity<CreatedProjectView> create(@RequestBody NewProject wanted) {
        if (wanted.name() == null) {
            throw new ProblemException(Problem.PARAMETER_INVALID, "a project needs a \"name\"");
        }
        CreatedProject created = projects.create(wanted.name());
        Project project = created.project();
        CreatedProjectView view = new CreatedProjectView(
                project.id().value(),
                project.name(),
                created.token().secret(),
                created.token().id(),
                Instant.ofEpochMilli(project.createdAtMillis()));
        return ResponseEntity.created(URI.create("/api/v1/projects/" + project.id()))
                .cacheControl(CacheControl.noStore())
                .body(view);
    }

    @GetMapping
    ProjectList list() {
        return new ProjectList(projects.list().stream().map(ProjectView::of).toList());
    }

    @GetMapping("/{id}")
    ProjectView get(@PathVariable String id) {
        return ProjectView.of(project(id));
    }

    @GetMapping("/{id}/tokens")
    TokenList tokens(@PathVariable String id) {
        return new TokenList(
                projects.tokens(project(id).id()).stream().map(TokenView::of).toList());
    }

    @PostMapping("/{id}/tokens")
    ResponseEntity<IssuedTokenView> issueToken(@PathVariable String id) {
        ProjectId project = project(id).id();
        IssuedToken token = projects.issueToken(project).orElseThrow(() -> notFound(id));
        return ResponseEntity.created(URI.create("/api/v1/projects/" + project + "/tokens/" + token.id()))
                .cacheControl(CacheControl.noStore())
                .body(new IssuedTokenView(token.id(), token.secret()));
    }

    @DeleteMapping("/{id}/tokens/{tokenId}")
    ResponseEntity<Void> revokeToken(@PathVariable String id, @PathVariable String tokenId) {
        long number = positive(tokenId);
        if (!projects.revokeToken(project(id).id(), number)) {
            throw new ProblemException(Problem.TOKEN_NOT_FOUND, "project " + id + " has no token with this id");
        }
        return ResponseEntity.noContent().build();
    }

    @GetMapping("/{id}/rejections")
    RejectionList rejections(@PathVariable String id) {
        return new RejectionList(record.rejections().list(project(id).id()));
    }

    @GetMapping("/{id}/conflicts")
    ConflictList conflicts(@PathVariable String id) {
        return new ConflictList(record.conflicts().list(project(id).id()));
    }

    private Project project(String id) {
        long number = positive(id);
        if (number == 0) {
            throw notFound(id);
        }
        return projects.find(new ProjectId(number)).orElseThrow(() -> notFound(id));
    }

    private static ProblemException notFound(String id) {
        return new ProblemException(
                Problem.PROJECT_NOT_FOUND,
                "no project has the id " + Rejection.cut(id) + "; list them at /api/v1/projects");
    }

    /** 0 for what is no positive decimal number: there is nothing at that address. */
    static long positive(String id) {
        if (id.isEmpty() || id.length() > 18) {
            return 0;
        }
        long number = 0;
        for (int i = 0; i < id.length(); i++) {
            char c = id.charAt(i);
            if (c < '0' || c > '9') {
                return 0;
            }
            number = number * 10 + (c - '0');
        }
        return number;
    }
}
