import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.concurrent.CountDownLatch;
import jprof.ThreadContext;

/**
 * A thread that clears its context by one copy of jprof.ThreadContext and sets it by another copy.
 *
 * <p>usage: {@code java CopiedContexts [virtual]}
 *
 * <p>Runs for as long as {@link Rounds} says. The method spanN runs in the span N, the method none
 * without a span.
 */
public final class CopiedContexts {
    private static final int ROUNDS = 10;

    private static volatile long sink;

    private CopiedContexts() {}

    public static void main(String[] arguments) throws Exception {
        URL jar = ThreadContext.class.getProtectionDomain().getCodeSource().getLocation();
        URLClassLoader loader = new URLClassLoader(new URL[] {jar}, null);
        Class<?> copy = Class.forName("jprof.ThreadContext", true, loader);
        Method put = copy.getMethod("put", long.class, long.class);
        ThreadContext.put(3, 0);  // the context of the main thread
        for (int i = 0; Rounds.goOn(i, ROUNDS); ++i) {
            long span = 1 + i % 2;
            CountDownLatch done = new CountDownLatch(1);
            Contexts.start("worker", arguments.length > 0, () -> {
                try {
                    ThreadContext.clear();
                    ThreadContext.clear();
                    none();
                    put.invoke(null, span, 0L);
                    if (span == 1) span1(); else span2();
                    ThreadContext.clear();
                    none();
                } catch (ReflectiveOperationException exception) {
                    throw new IllegalStateException(exception);
                }
                done.countDown();
            });
            done.await();
        }
        loader.close();
    }

    private static void none() {
        burn();
    }

    private static void span1() {
        burn();
    }

    private static void span2() {
        burn();
    }

    private static void burn() {
        long end = System.nanoTime() + 25_000_000;
        long value = sink;
        while (System.nanoTime() < end) {
            for (int i = 0; i < 20_000; ++i) value = value * 31 + i;
        }
        sink = value;
    }
}
