import java.io.File;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.Scanner;
import java.util.concurrent.CountDownLatch;
import jprof.ThreadContext;

/**
 * Cases of trace contexts: at the start and end of threads, and with scopes, recordings and class
 * loaders.
 *
 * <p>usage: {@code java ContextCases CASE}
 *
 * <p>The method spanN runs in the span N, and the method none runs without a span; each takes some
 * milliseconds of CPU time.
 */
public final class ContextCases {
    private static final ThreadMXBean CLOCK = ManagementFactory.getThreadMXBean();

    /**
     * True on a virtual thread. It does a fixed number of steps, because the JVM does not report
     * the CPU time of virtual threads.
     */
    private static volatile boolean isVirtual;
    private static volatile long sink;

    private ContextCases() {}

    public static void main(String[] arguments) throws Exception {
        switch (arguments[0]) {
            case "ends":
                ends();
                break;
            case "waits":
                waits();
                break;
            case "loaders":
                loaders(arguments.length > 1);
                break;
            case "tags":
                tags();
                break;
            case "scopes":
                scopes(arguments.length > 1);
                break;
            case "closed":
                closed();
                break;
            case "many":
                many();
                break;
            default:
                throw new IllegalArgumentException(arguments[0]);
        }
    }

    /**
     * Starts threads that end with an open scope. Later threads, which can get their memory, have
     * no context.
     */
    private static void ends() throws Exception {
        for (int round = 0; round < 20; ++round) {
            Thread open = new Thread(() -> {
                ThreadContext.open(1, 0);
                span1(5);
            });
            open.start();
            open.join();
            Thread next = new Thread(() -> none(5));
            next.start();
            next.join();
        }
        ThreadContext.Scope outer = ThreadContext.open(2, 0);
        span2(50);
        ThreadContext.Scope inner = ThreadContext.open(1, 0);
        span1(50);
        Thread other = new Thread(() -> {
            ThreadContext.put(1, 0);
            inner.close();  // no effect, because another thread made this scope
            span1(50);
        });
        other.start();
        other.join();
        span1(50);
        inner.close();
        span2(50);
        outer.close();
        none(50);
        System.out.println("done=1");
    }

    /** Executes the words of standard input, such as span1, span2 or none, one after another. */
    private static void waits() throws InterruptedException {
        System.out.println("ready=1");
        Scanner words = new Scanner(System.in);
        while (words.hasNext()) {
            switch (words.next()) {
                case "put1":
                    ThreadContext.put(1, 0);
                    break;
                case "put2":
                    ThreadContext.put(2, 0);
                    break;
                case "trace":
                    ThreadContext.put(
                            0x0123456789abcdefL, 0xfedcba9876543210L, 0xff, 1, 0x0f1e2d3c4b5a6978L);
                    break;
                case "tag":
                    ThreadContext.putTag("stage", "first");
                    break;
                case "clear":
                    ThreadContext.clear();
                    break;
                case "span1":
                    span1(150);
                    break;
                case "span2":
                    span2(150);
                    break;
                case "none":
                    none(150);
                    break;
                case "fresh2":  // span2 in a new thread
                    Thread fresh = new Thread(() -> {
                        ThreadContext.put(2, 0);
                        span2(150);
                    });
                    fresh.start();
                    fresh.join();
                    break;
                default:
                    return;
            }
            System.out.println("ok");
        }
    }

    /**
     * Loads a second copy of the jar in a class loader of its own. Both copies write the same
     * context of one platform or virtual thread.
     */
    private static void loaders(boolean virtual) throws Exception {
        isVirtual = virtual;
        String jar = new File(
                ThreadContext.class.getProtectionDomain().getCodeSource().getLocation().toURI())
                             .getPath();
        try (URLClassLoader loader =
                        new URLClassLoader(new URL[] {new File(jar).toURI().toURL()}, null)) {
            Class<?> copy = Class.forName("jprof.ThreadContext", true, loader);
            System.out.println("copies=" + (copy == ThreadContext.class ? 1 : 2));
            CountDownLatch done = new CountDownLatch(1);
            Contexts.start("worker", virtual, () -> {
                try {
                    turns(copy);
                } catch (ReflectiveOperationException exception) {
                    throw new IllegalStateException(exception);
                }
                done.countDown();
            });
            done.await();
        }
    }

    private static void turns(Class<?> copy) throws ReflectiveOperationException {
        Method put = copy.getMethod("put", long.class, long.class);
        Method clear = copy.getMethod("clear");
        clear.invoke(null);
        ThreadContext.put(1, 0);
        clear.invoke(null);
        none(50);
        say("tagged", (Boolean) copy.getMethod("putTag", String.class, String.class)
                              .invoke(null, "tenant", repeat(100)));
        for (int i = 0; i < 10; ++i) {
            ThreadContext.put(1, 0);
            span1(10);
            put.invoke(null, 2L, 0L);
            span2(10);
            ThreadContext.put(1, 0);
            span1(10);
            clear.invoke(null);
            none(10);
        }
    }

    /** Sets tags at their limits, and prints the results of putTag. */
    private static void tags() {
        StringBuilder longText = new StringBuilder();
        for (int i = 0; i < 100; ++i) longText.append("\u7dd2");
        say("set", ThreadContext.putTag("tenant", "f\u00e4hre"));
        say("changed", ThreadContext.putTag("tenant", "f\u00e4dchen \ud83e\uddf5"));
        say("cut", ThreadContext.putTag("route", longText.toString()));
        ThreadContext.put(0x0123456789abcdefL, 0xfedcba9876543210L, 1, 1);
        span1(100);
        say("removed", ThreadContext.putTag("route", null));
        ThreadContext.put(2, 0);
        span2(100);
        ThreadContext.clear();
        none(100);
        say("first", ThreadContext.putTag("a", repeat(250)));
        say("second", ThreadContext.putTag("b", repeat(250)));
        say("full", ThreadContext.putTag("c", repeat(250)));
        say("name", ThreadContext.putTag(repeat(129), "x"));
        int names = 0;
        while (ThreadContext.putTag("name" + names, "")) {
            ThreadContext.clear();
            ++names;
        }
        System.out.println("names=" + names);
    }

    /**
     * Opens scopes on one platform or virtual thread, and prints each span with its start and end.
     * Span N has the root 7 and the tag tenant "tN".
     */
    private static void scopes(boolean virtual) throws Exception {
        CountDownLatch done = new CountDownLatch(1);
        Contexts.start("worker", virtual, () -> {
            for (long span = 1; span <= 200; ++span) {
                long begin = System.nanoTime();
                long opened;
                try (ThreadContext.Scope scope = ThreadContext.open(0, 5, span, 1, 7)) {
                    opened = System.nanoTime();
                    ThreadContext.putTag("tenant", "t" + span);
                    if (span % 10 == 0) Thread.yield();
                    // A scope within the span is no span of its own. Nor are other ids that are put
                    // while the scope of the span is open.
                    ThreadContext.open(0, 5, span, 1, 7).close();
                    if (span % 2 == 0) ThreadContext.put(999, 0);
                    System.out.println("closed" + span + "=" + System.nanoTime());
                }
                System.out.println("begin" + span + "=" + begin);
                System.out.println("opened" + span + "=" + opened);
                System.out.println("end" + span + "=" + System.nanoTime());
            }
            ThreadContext.open(1000, 0);  // never closed
            ThreadContext.open(0, 0).close();
            done.countDown();
        });
        done.await();
    }

    /**
     * Opens a scope and waits for a line of input; by then contexts can be recorded. Closes the
     * scope on another thread, on its own thread, and once more. Then opens and closes other scopes
     * for as long as {@link Rounds} says. Also checks that a tag needs a name even if contexts are
     * not recorded.
     */
    private static void closed() throws Exception {
        try {
            ThreadContext.putTag(null, "x");
        } catch (NullPointerException exception) {
            System.out.println("refused=1");
        }
        ThreadContext.Scope scope = ThreadContext.open(1, 0);
        System.out.println("ready=1");
        new Scanner(System.in).nextLine();
        close(scope);
        for (int i = 1; Rounds.goOn(i, 1); ++i) {
            ThreadContext.clear();
            close(ThreadContext.open(1, 0));
        }
    }

    private static void close(ThreadContext.Scope scope) throws InterruptedException {
        ThreadContext.put(1, 0);
        Thread other = new Thread(() -> {
            ThreadContext.put(2, 0);
            scope.close();
            span2(100);
        });
        other.start();
        other.join();
        span1(100);
        scope.close();
        none(100);
        ThreadContext.put(2, 0);
        scope.close();
        span2(100);
    }

    /** Opens a million spans on four threads. */
    private static void many() throws InterruptedException {
        Thread[] threads = new Thread[4];
        for (int i = 0; i < threads.length; ++i) {
            long first = 250_000L * i;
            threads[i] = new Thread(() -> {
                for (long span = first + 1; span <= first + 250_000; ++span) {
                    ThreadContext.open(7, span, span, 1, span).close();
                }
            });
            threads[i].start();
        }
        for (Thread thread : threads) thread.join();
    }

    private static void say(String what, boolean value) {
        System.out.println(what + "=" + (value ? 1 : 0));
    }

    private static String repeat(int count) {
        return new String(new char[count]).replace('\0', 'x');
    }

    private static void span1(int milliseconds) {
        spin(milliseconds);
    }

    private static void span2(int milliseconds) {
        spin(milliseconds);
    }

    private static void none(int milliseconds) {
        spin(milliseconds);
    }

    private static void spin(int milliseconds) {
        if (isVirtual) {
            work(milliseconds * 2_000_000);
            return;
        }
        long end = CLOCK.getCurrentThreadCpuTime() + milliseconds * 1_000_000L;
        while (CLOCK.getCurrentThreadCpuTime() < end) work(20_000);
    }

    private static void work(int steps) {
        long value = sink;
        for (int i = 0; i < steps; ++i) value = value * 31 + i;
        sink = value;
    }
}
