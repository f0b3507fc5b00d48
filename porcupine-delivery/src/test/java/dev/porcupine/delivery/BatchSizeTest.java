package dev.porcupine.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class BatchSizeTest {

    @Test
    void halves_and_doubles_within_its_bounds() {
        BatchSize size = new BatchSize(10_000, 16L << 20);
        size.grow();
        assertThat(size.rows()).isEqualTo(10_000);
        size.shrink();
        assertThat(size.rows()).isEqualTo(5_000);
        assertThat(size.bytes()).isEqualTo(8L << 20);
        for (int n = 0; n < 20; n++) {
            size.shrink();
        }
        assertThat(size.rows()).isEqualTo(39);
        assertThat(size.bytes()).isEqualTo(64L << 10);
        size.grow();
        assertThat(size.rows()).isEqualTo(78);
    }

    @Test
    void never_asks_for_nothing() {
        BatchSize size = new BatchSize(1, 1);
        size.shrink();
        assertThat(size.rows()).isEqualTo(1);
        assertThat(size.bytes()).isEqualTo(1);
    }
}
