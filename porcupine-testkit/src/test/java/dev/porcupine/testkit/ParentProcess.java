package dev.porcupine.testkit;

/** A process of its own that starts a ClickHouse, says where, and waits to be killed. */
final class ParentProcess {

    private ParentProcess() {}

    public static void main(String[] arguments) throws InterruptedException {
        ClickHouseServer server = ClickHouseServer.start();
        System.out.println(server.port());
        Thread.currentThread().join();
    }
}
