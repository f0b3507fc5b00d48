package dev.porcupine.query;

import dev.porcupine.schema.ProjectId;

/** Knows which projects exist. History can't tell a project without events from one that never was. */
@FunctionalInterface
public interface ProjectDirectory {

    boolean exists(ProjectId project);
}
