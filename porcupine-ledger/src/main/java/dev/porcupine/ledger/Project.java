package dev.porcupine.ledger;

import dev.porcupine.schema.ProjectId;

public record Project(ProjectId id, String name, long createdAtMillis) {}
