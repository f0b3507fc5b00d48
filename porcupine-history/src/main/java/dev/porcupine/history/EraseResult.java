package dev.porcupine.history;

/** What came of deleting a project's rows. */
public sealed interface EraseResult {

    /** There is no physical row of the project. */
    record Empty() implements EraseResult {}

    /**
     * Some are left; deleting them is under way, or has to be asked for again.
     *
     * @param rows at the last complete count
     */
    record Left(long rows) implements EraseResult {}

    /** It does not go on; whether anything was deleted is not known. */
    record Failed(String reason) implements EraseResult {}
}
