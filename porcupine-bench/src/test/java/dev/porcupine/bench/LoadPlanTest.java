package dev.porcupine.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class LoadPlanTest {

    @Test
    void a_rate_is_shared_by_all_connections() {
        LoadPlan plan = LoadPlan.parse("--token=t", "--rate=8000", "--batch=100", "--connections=4");
        // 80 requests a second over four connections: one each every 50 ms.
        assertThat(plan.intervalNanos()).isEqualTo(50_000_000);
    }

    @Test
    void no_rate_waits_for_nothing() {
        assertThat(LoadPlan.parse("--token=t").intervalNanos()).isZero();
    }

    @Test
    void an_unknown_option_is_named() {
        assertThatThrownBy(() -> LoadPlan.parse("--token=t", "--raet=5"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("--raet=5");
    }

    @Test
    void a_missing_token_is_named() {
        assertThatThrownBy(LoadPlan::parse)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("--token=");
    }
}
