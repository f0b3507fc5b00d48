package dev.porcupine.ledger;

public record CreatedProject(Project project, IssuedToken token) {}
