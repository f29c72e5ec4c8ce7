import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import jprof.ThreadContext;

/**
 * Threads whose running method determines which context their samples must have.
 *
 * <p>usage: {@code java Contexts THREADS TURNS SPIN [virtual]}
 *
 * <p>A turn takes about SPIN nanoseconds, and allocates if SPIN is at least 1000. In a method spanN
 * the context is a span whose id has N in its lowest 4 bits, the number of the thread in the next
 * 28, and the number of the turn above. The root of the span is {@link #mix} of this id. In the
 * method {@code none} there is no context. In the second half of the turns of a virtual thread, the
 * contexts of span1 to span3 have a tag "half": 20 times the name of the thread.
 */
public final class Contexts {
    private static final ThreadMXBean CLOCK = ManagementFactory.getThreadMXBean();

    private static int spin;
    private static volatile long sink;
    private static volatile Object allocated;

    private Contexts() {}

    public static void main(String[] arguments) throws Exception {
        int threads = Integer.parseInt(arguments[0]);
        long turns = Long.parseLong(arguments[1]);
        spin = Integer.parseInt(arguments[2]);
        boolean virtual = arguments.length > 3 && arguments[3].equals("virtual");
        CountDownLatch done = new CountDownLatch(threads);
        AtomicLong cpuNanos = new AtomicLong();
        long begin = System.nanoTime();
        for (int i = 0; i < threads; ++i) {
            int number = i;
            start("worker-" + i, virtual, () -> {
                work(number, turns, virtual);
                if (!virtual) cpuNanos.addAndGet(CLOCK.getCurrentThreadCpuTime());
                done.countDown();
            });
        }
        done.await();
        System.out.println("changes=" + changes(turns) * threads);
        System.out.println("seconds=" + (System.nanoTime() - begin) / 1e9);
        if (!virtual) System.out.println("cpuSeconds=" + cpuNanos.get() / 1e9);
        System.out.println("active=" + (ThreadContext.isActive() ? 1 : 0));
    }

    /**
     * Returns how many times a thread changes its context: once for each turn, and by one scope for
     * each turn that is divisible by 3 but not by 4.
     */
    private static long changes(long turns) {
        return turns + 2 * (turns / 3 - turns / 12) + 1;
    }

    static void start(String name, boolean virtual, Runnable body) throws Exception {
        if (!virtual) {
            new Thread(body, name).start();
            return;
        }
        Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
        Class<?> type = Class.forName("java.lang.Thread$Builder");
        type.getMethod("name", String.class).invoke(builder, name);
        type.getMethod("start", Runnable.class).invoke(builder, body);
    }

    private static void work(int number, long turns, boolean yields) {
        for (long turn = 1; turn <= turns; ++turn) {
            int marker = (int) (turn % 4);
            if (marker == 0) {
                ThreadContext.clear();
                none();
            } else {
                set(turn << 32 | number << 4 | marker);
                if (yields && turn >= turns / 2) ThreadContext.putTag("half", tagOf(number));
                call(marker);
                if (turn % 3 == 0) nested(turn << 32 | number << 4 | 4, marker);
            }
            if (yields && turn % 5 == 0) Thread.yield();
        }
        ThreadContext.clear();
    }

    private static String tagOf(int number) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 20; ++i) text.append("worker-").append(number);
        return text.toString();
    }

    static void set(long span) {
        ThreadContext.put(span, mix(span));
    }

    /**
     * Returns the root of a span. The function is not linear: if the bits of two spans are mixed,
     * their roots do not mix to the root of the result.
     */
    static long mix(long span) {
        long mixed = (span ^ span >>> 32) * 0x9E3779B97F4A7C15L;
        return mixed ^ mixed >>> 29;
    }

    private static void nested(long span, int marker) {
        try (ThreadContext.Scope scope = ThreadContext.open(span, mix(span))) {
            span4();
        }
        call(marker);
    }

    private static void call(int marker) {
        if (marker == 1) {
            span1();
        } else if (marker == 2) {
            span2();
        } else {
            span3();
        }
    }

    private static void span1() {
        spin();
    }

    private static void span2() {
        spin();
    }

    private static void span3() {
        spin();
    }

    private static void span4() {
        spin();
    }

    private static void none() {
        spin();
    }

    private static void spin() {
        if (spin >= 1000) allocated = new long[32];
        long value = sink;
        for (int i = spin; i > 0; --i) value = value * 31 + i;
        sink = value;
    }
}
