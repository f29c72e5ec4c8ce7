import java.lang.management.ManagementFactory;

/** Uses CPU time until its standard input ends, and 300 ms of CPU time after that. */
public final class App {
    private static volatile long sink;

    public static void main(String[] arguments) throws Exception {
        System.out.println("ready");
        Thread busy = new Thread(App::burn, "busy");
        busy.setDaemon(true);
        busy.start();
        while (System.in.read() >= 0) continue;
        long end = cpuNanos() + 300_000_000L;
        while (cpuNanos() < end) sink += end;
    }

    private static void burn() {
        while (true) ++sink;
    }

    private static long cpuNanos() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }
}
