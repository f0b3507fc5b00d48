package dev.porcupine.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.porcupine.schema.EventIdentity;
import dev.porcupine.schema.EventUuid;
import dev.porcupine.schema.ProjectId;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class LeasesTest {

    private static final ProjectId PROJECT = new ProjectId(1);
    private static final EventUuid A = new EventUuid(1, 1);
    private static final EventUuid B = new EventUuid(1, 2);

    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5);
    private final Leases leases = new Leases(nanos::get, 3);

    @Test
    void lease_is_alive_at_29_9_s_and_dead_at_30_s() {
        LookupLease lease = leases.take(PROJECT, Set.of(A)).orElseThrow();
        advance(Duration.ofMillis(29_900));
        assertThat(lease.alive()).isTrue();
        assertThat(leases.leased(identity(A))).isTrue();
        advance(Duration.ofMillis(100));
        assertThat(lease.alive()).isFalse();
        assertThat(leases.leased(identity(A))).isFalse();
        advance(Duration.ofMillis(100));
        assertThat(lease.alive()).isFalse();
    }

    @Test
    void identity_of_another_project_or_uuid_is_not_leased() {
        assertThat(leases.take(PROJECT, Set.of(A))).isPresent();
        assertThat(leases.leased(identity(B))).isFalse();
        assertThat(leases.leased(new EventIdentity(new ProjectId(2), A))).isFalse();
    }

    @Test
    void identity_leased_twice_stays_leased_until_both_are_closed() {
        LookupLease first = leases.take(PROJECT, Set.of(A)).orElseThrow();
        LookupLease second = leases.take(PROJECT, Set.of(A, B)).orElseThrow();
        first.close();
        first.close();
        assertThat(leases.leased(identity(A))).isTrue();
        second.close();
        assertThat(leases.leased(identity(A))).isFalse();
        assertThat(leases.open()).isZero();
    }

    @Test
    void younger_lease_keeps_the_identity_when_the_older_one_dies() {
        LookupLease older = leases.take(PROJECT, Set.of(A)).orElseThrow();
        advance(Duration.ofSeconds(20));
        LookupLease younger = leases.take(PROJECT, Set.of(A)).orElseThrow();
        advance(Duration.ofSeconds(10));
        assertThat(older.alive()).isFalse();
        assertThat(younger.alive()).isTrue();
        assertThat(leases.leased(identity(A))).isTrue();
    }

    @Test
    void dead_lease_that_nobody_closed_does_not_live_on_by_a_closed_younger_one() {
        LookupLease dead = leases.take(PROJECT, Set.of(A)).orElseThrow();
        advance(Duration.ofSeconds(30));
        leases.take(PROJECT, Set.of(A)).orElseThrow().close();
        assertThat(leases.leased(identity(A))).isFalse();
        dead.close();
        assertThat(leases.open()).isZero();
    }

    @Test
    void closed_lease_is_dead() {
        LookupLease lease = leases.take(PROJECT, Set.of(A)).orElseThrow();
        lease.close();
        assertThat(lease.alive()).isFalse();
    }

    @Test
    void one_identity_too_many_gets_no_lease() {
        assertThat(leases.take(PROJECT, Set.of(A, B))).isPresent();
        assertThat(leases.take(PROJECT, Set.of(new EventUuid(1, 3), new EventUuid(1, 4))))
                .isEmpty();
        assertThat(leases.take(PROJECT, Set.of(new EventUuid(1, 3)))).isPresent();
    }

    private void advance(Duration by) {
        nanos.addAndGet(by.toNanos());
    }

    private static EventIdentity identity(EventUuid uuid) {
        return new EventIdentity(PROJECT, uuid);
    }
}
