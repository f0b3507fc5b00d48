package dev.porcupine.ingest;

/** What is remembered of captures for people: numbers, and the latest odd events. */
record CaptureRecord(
        CaptureMetrics metrics, RecentPerProject<Rejection> rejections, RecentPerProject<Conflict> conflicts) {

    CaptureRecord(CaptureMetrics metrics) {
        this(metrics, new RecentPerProject<>(), new RecentPerProject<>());
    }
}
