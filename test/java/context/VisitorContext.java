import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import jprof.ThreadContext;

/**
 * A native thread that attaches to the JVM twice. Its first context ends when it detaches for the
 * first time, whatever another agent does in the events of its start and end.
 */
public final class VisitorContext {
    private static final ThreadMXBean CLOCK = ManagementFactory.getThreadMXBean();

    private static volatile boolean isBack;
    private static volatile long sink;

    private VisitorContext() {}

    public static void main(String[] arguments) {
        System.loadLibrary("visitor_context");
        System.out.println("outside=" + visit());
        ThreadContext.put(1, 0);
        System.out.println("child=" + childOfFork());
        span1();
    }

    private static native long visit();

    private static native int childOfFork();

    /** Called by the other agent when the thread starts. */
    private static void begins() {
        if (!isBack) ThreadContext.open(1, 0);
    }

    private static void first() {
        span1();
        isBack = true;
    }

    /** Called by the other agent when the thread ends, after the profiler has handled the end. */
    private static void ends() {
        ThreadContext.put(2, 0);
        none();
    }

    private static void second() {
        none();
        ThreadContext.put(2, 0);
        span2();
    }

    private static void span1() {
        spin();
    }

    private static void span2() {
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
