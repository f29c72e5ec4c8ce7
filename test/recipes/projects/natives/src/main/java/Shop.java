import jprof.Profiler;

/** Records itself for half a second. */
public final class Shop {
    static volatile long sold;

    private Shop() {}

    public static void main(String[] arguments) {
        Profiler profiler = Profiler.load();
        profiler.start("cpu=1ms,file=" + arguments[0]);
        sell();
        profiler.stop();
    }

    private static void sell() {
        for (long end = System.nanoTime() + 500_000_000L; System.nanoTime() < end; ) sold++;
    }
}
