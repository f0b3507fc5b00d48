package dev.porcupine.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.porcupine.delivery.PassOutcome.Cause;
import dev.porcupine.delivery.PassOutcome.Idle;
import dev.porcupine.delivery.PassOutcome.Progressed;
import dev.porcupine.delivery.PassOutcome.Stalled;
import dev.porcupine.testkit.ManualTicker;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class DeliveryHealthTest {

    private final Logger logger = (Logger) LoggerFactory.getLogger(DeliveryHealth.class);
    private final ListAppender<ILoggingEvent> logged = new ListAppender<>();
    private final ManualTicker ticker = new ManualTicker();
    private final DeliveryHealth health = new DeliveryHealth(ticker);

    @BeforeEach
    void listen() {
        logged.start();
        logger.addAppender(logged);
    }

    @AfterEach
    void listenNoMore() {
        logger.detachAppender(logged);
    }

    @Test
    void a_stall_is_logged_once_and_its_end_with_its_length() {
        health.note(new Idle());
        for (int n = 0; n < 50; n++) {
            health.note(new Stalled(Cause.HISTORY_UNCLEAR, "timeout " + n, null));
            ticker.advance(Duration.ofSeconds(1));
        }
        health.note(new Progressed(10, 0, false));
        health.note(new Progressed(10, 0, false));
        assertThat(logged.list).extracting(ILoggingEvent::getLevel).containsExactly(Level.WARN, Level.INFO);
        assertThat(logged.list.getFirst().getFormattedMessage()).contains("timeout 0");
        assertThat(logged.list.getLast().getFormattedMessage()).contains("after 50 s and 50 failed passes");
    }

    @Test
    void another_cause_is_another_state() {
        health.note(new Stalled(Cause.HISTORY_UNCLEAR, "reset", null));
        health.note(new Stalled(Cause.SOURCE_REFUSED, "unreachable", null));
        health.note(new Stalled(Cause.SOURCE_REFUSED, "unreachable", null));
        assertThat(logged.list).extracting(ILoggingEvent::getLevel).containsExactly(Level.WARN, Level.WARN);
    }

    @Test
    void what_delivery_does_not_know_is_an_error_with_its_trace() {
        health.note(new Stalled(Cause.UNEXPECTED, "a bug", new IllegalStateException("a bug")));
        assertThat(logged.list).singleElement().satisfies(event -> {
            assertThat(event.getLevel()).isEqualTo(Level.ERROR);
            assertThat(event.getThrowableProxy().getMessage()).isEqualTo("a bug");
        });
    }
}
