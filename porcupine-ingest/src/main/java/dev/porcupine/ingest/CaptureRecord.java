package dev.porcupine.ingest;

import dev.porcupine.schema.ProjectId;

/** What is remembered of captures for people: numbers, and the latest odd events. */
record CaptureRecord(
        CaptureMetrics metrics, RecentPerProject<Rejection> rejections, RecentPerProject<Conflict> conflicts) {

    CaptureRecord(CaptureMetrics metrics) {
        this(metrics, new RecentPerProject<>(), new RecentPerProject<>());
    }

    /** Of a project that is being removed nothing is shown any more. */
    void forget(ProjectId project) {
        rejections.forget(project);
        conflicts.forget(project);
    }
}
