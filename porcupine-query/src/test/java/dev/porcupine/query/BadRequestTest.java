package dev.porcupine.query;

import static org.assertj.core.api.Assertions.assertThat;

import dev.porcupine.history.Histories;
import dev.porcupine.history.History;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Addresses and parameters that name nothing or can't be understood: refused before history is asked. */
class BadRequestTest {

    @TempDir
    static Path dataDir;

    private static History history;
    private static QueryServer server;

    @BeforeAll
    static void open() {
        history = Histories.embedded(dataDir);
        history.verify();
        server = new QueryServer(history, QuerySettings.defaults());
    }

    @AfterAll
    static void close() {
        server.close();
        history.close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0/events",
                "99/events",
                "-7/events",
                "abc/events",
                "7.0/events",
                "99999999999999999999/events",
                "99/events/count",
                "x/events/0190f000-0000-7000-8000-00000000abcd"
            })
    void an_unknown_project_is_not_found(String path) {
        HttpResponse<String> answer = server.get(path);
        assertThat(answer.statusCode()).isEqualTo(404);
        assertThat(answer.body()).contains("project_not_found");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "limit=0",
                "limit=1001",
                "limit=x",
                "limit=1&limit=2",
                "cursor=abc",
                "cursor=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
                "cursor=%00",
                "from=now",
                "to=2026-11-30",
                "from=2026-11-30T11:00:00+01:00",
                "from=2027-01-01T00:00:00Z&to=2026-01-01T00:00:00Z",
                "distinctid=u1"
            })
    void a_bad_parameter_is_refused(String query) {
        HttpResponse<String> answer = server.get("7/events?" + query);
        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(answer.body()).contains("parameter_invalid");
    }

    @Test
    void a_parameter_that_is_not_decodable_is_not_taken_for_absent() {
        // A client's URI would not carry this; a raw one does.
        assertThat(RawHttp.get(server.port(), "/api/v1/projects/7/events?event=%zz"))
                .contains(" 400 ")
                .contains("parameter_invalid");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "nope",
                "1-1-1-1-1",
                "00000000-0000-0000-0000-000000000000",
                "0190f000-0000-7000-8000-00000000abcg"
            })
    void what_is_no_uuid_is_refused(String uuid) {
        HttpResponse<String> answer = server.get("7/events/" + uuid);
        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(answer.body()).contains("parameter_invalid");
    }
}
