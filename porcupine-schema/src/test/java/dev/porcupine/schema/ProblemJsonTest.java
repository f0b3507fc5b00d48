package dev.porcupine.schema;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ProblemJsonTest {

    @Test
    void a_problem_is_rendered_exactly() {
        assertThat(ProblemJson.text(Problem.QUEUE_FULL, "10 of 10 events are waiting"))
                .isEqualTo(
                        "{\"type\":\"urn:porcupine:problem:queue_full\",\"title\":\"The delivery queue is full\",\"status\":503,"
                                + "\"detail\":\"10 of 10 events are waiting\",\"code\":\"queue_full\",\"retryable\":true}");
    }

    @Test
    void text_that_would_break_json_is_escaped() {
        assertThat(ProblemJson.text(Problem.PARAMETER_INVALID, "a \"b\" \\ \n \ud800 \ud83d\ude00"))
                .contains("\"detail\":\"a \\\"b\\\" \\\\ \\u000a \\ufffd \ud83d\ude00\"");
    }
}
