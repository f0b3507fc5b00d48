package dev.porcupine.schema;

/** What is accepted once, for as long as the project lives (P1, P3). */
public record EventIdentity(ProjectId project, EventUuid uuid) {

    @Override
    public String toString() {
        return project + "/" + uuid;
    }
}
