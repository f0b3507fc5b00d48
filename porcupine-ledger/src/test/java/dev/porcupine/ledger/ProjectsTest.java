package dev.porcupine.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.porcupine.schema.Problem;
import dev.porcupine.schema.ProblemException;
import dev.porcupine.schema.ProjectId;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ProjectsTest {

    @TempDir
    private Path dir;

    private final StepScript steps = new StepScript();
    private Ledger ledger;

    @BeforeEach
    void open() {
        ledger = Samples.open(dir, steps);
    }

    @AfterEach
    void close() {
        ledger.close();
    }

    @Test
    void a_project_and_its_tokens_survive_a_restart() {
        CreatedProject shop = ledger.projects().create("  shop 😀 ");
        IssuedToken second = ledger.projects().issueToken(shop.project().id()).orElseThrow();
        CreatedProject blog = ledger.projects().create("blog");
        reopen();

        assertThat(ledger.projects().list()).containsExactly(shop.project(), blog.project());
        assertThat(shop.project()).isEqualTo(new Project(new ProjectId(1), "shop 😀", Samples.CLOCK.millis()));
        assertThat(ledger.projects().find(shop.project().id())).contains(shop.project());
        assertThat(ledger.projects().find(new ProjectId(99))).isEmpty();
        assertThat(ledger.projects().byToken(shop.token().secret()))
                .contains(shop.project().id());
        assertThat(ledger.projects().byToken(second.secret()))
                .contains(shop.project().id());
        assertThat(ledger.projects().byToken(blog.token().secret()))
                .contains(blog.project().id());
        assertThat(ledger.projects().tokens(shop.project().id()))
                .extracting(ProjectToken::id)
                .containsExactly(shop.token().id(), second.id());
    }

    @Test
    void a_secret_has_the_shape_that_sdks_expect_and_is_never_the_same() {
        String one = ledger.projects().create("a").token().secret();
        String two = ledger.projects().create("b").token().secret();

        assertThat(one).matches("phc_[A-Za-z0-9_-]{43}").isNotEqualTo(two);
        assertThat(ledger.projects().tokens(new ProjectId(1)).getFirst().hint()).isEqualTo(one.substring(0, 10));
    }

    @Test
    void a_secret_is_stored_nowhere() throws Exception {
        String secret = ledger.projects().create("a").token().secret();
        ledger.close();

        byte[] file = Files.readAllBytes(dir.resolve(LedgerFile.FILE_NAME));
        assertThat(new String(file, StandardCharsets.ISO_8859_1)).doesNotContain(secret.substring(11));
    }

    @Test
    void a_revoked_token_writes_no_more_and_others_do() {
        CreatedProject shop = ledger.projects().create("shop");
        ProjectId id = shop.project().id();
        ProjectId other = ledger.projects().create("blog").project().id();
        IssuedToken second = ledger.projects().issueToken(id).orElseThrow();

        assertThat(ledger.projects().revokeToken(other, shop.token().id())).isFalse();
        assertThat(ledger.projects().revokeToken(id, 99)).isFalse();
        assertThat(ledger.projects().byToken(shop.token().secret())).isPresent();
        assertThat(ledger.projects().revokeToken(id, shop.token().id())).isTrue();
        assertThat(ledger.projects().revokeToken(id, shop.token().id())).isFalse();

        assertThat(ledger.projects().byToken(shop.token().secret())).isEmpty();
        assertThat(ledger.projects().byToken(second.secret())).contains(id);
        reopen();
        assertThat(ledger.projects().byToken(shop.token().secret())).isEmpty();
        assertThat(ledger.projects().tokens(id)).extracting(ProjectToken::id).containsExactly(second.id());
    }

    @Test
    void a_project_that_does_not_exist_gets_no_token() {
        assertThat(ledger.projects().issueToken(new ProjectId(5))).isEmpty();
        assertThat(ledger.projects().tokens(new ProjectId(5))).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "phc_", "nonsense", "phc_0123456789012345678901234567890123456789012", "\u0000", "😀"})
    void another_text_is_no_token(String secret) {
        ledger.projects().create("shop");
        assertThat(ledger.projects().byToken(secret)).isEmpty();
        assertThat(ledger.projects().byToken("x".repeat(100_000))).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "\t\n", "a\u0000b", "a\nb", "a\ud800b"})
    void a_bad_name_is_refused(String name) {
        assertThatThrownBy(() -> ledger.projects().create(name))
                .isInstanceOfSatisfying(
                        ProblemException.class, e -> assertThat(e.problem()).isEqualTo(Problem.PARAMETER_INVALID));
        assertThat(ledger.projects().list()).isEmpty();
    }

    @Test
    void a_name_has_at_most_200_characters_however_they_are_coded() {
        assertThat(ledger.projects().create("😀".repeat(200)).project().name()).isEqualTo("😀".repeat(200));
        assertThatThrownBy(() -> ledger.projects().create("a".repeat(201))).isInstanceOf(ProblemException.class);
    }

    @Test
    void memory_changes_only_with_a_commit() {
        CreatedProject shop = ledger.projects().create("shop");
        ProjectId id = shop.project().id();

        steps.actAt(WriteStep.COMMIT, StepScript.fail());
        assertThatThrownBy(() -> ledger.projects().create("blog")).isInstanceOf(ProblemException.class);
        assertThat(ledger.projects().list()).containsExactly(shop.project());

        steps.actAt(WriteStep.COMMIT, StepScript.fail());
        assertThatThrownBy(() -> ledger.projects().revokeToken(id, shop.token().id()))
                .isInstanceOf(ProblemException.class);
        assertThat(ledger.projects().byToken(shop.token().secret())).contains(id);
    }

    @Test
    void memory_follows_a_commit_whose_answer_was_lost() {
        CreatedProject shop = ledger.projects().create("shop");
        ProjectId id = shop.project().id();
        steps.actAt(WriteStep.COMMITTED, StepScript.fail());
        assertThatThrownBy(() -> ledger.projects().revokeToken(id, shop.token().id()))
                .isInstanceOf(ProblemException.class);

        // the next write finds the truth on disk
        ledger.projects().create("blog");

        assertThat(ledger.projects().byToken(shop.token().secret())).isEmpty();
    }

    @Test
    void project_ids_are_never_used_again() {
        ProjectId first = ledger.projects().create("a").project().id();
        RawRows.in(ledger, "delete from project_tokens");
        RawRows.in(ledger, "delete from projects");
        reopen();

        assertThat(ledger.projects().create("b").project().id()).isGreaterThan(first);
    }

    private void reopen() {
        ledger.close();
        ledger = Samples.open(dir, steps);
    }
}
