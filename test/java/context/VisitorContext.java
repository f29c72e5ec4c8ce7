import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import jprof.ThreadContext;

/** A native thread that is a Java thread twice: the context of the first time ends with it. */
public final class VisitorContext {
    private static final ThreadMXBean CLOCK = ManagementFactory.getThreadMXBean();

    private static volatile long sink;

    private VisitorContext() {}

    public static void main(String[] arguments) {
        System.loadLibrary("visitor_context");
        System.out.println("outside=" + visit());
    }

    private static native long visit();

    private static void first() {
        ThreadContext.open(1, 0);
        span1();
    }

    private static void second() {
        none();
    }

    private static void span1() {
        spin();
    }

    private static void none() {
        spin();
    }

    private static void spin() {
        long end = CLOCK.getCurrentThreadCpuTime() + 200_000_000L;
        long value = sink;
        while (CLOCK.getCurrentThreadCpuTime() < end) {
            for (int i = 0; i < 20_000; ++i) value = value * 31 + i;
        }
        sink = value;
    }
}
