import java.io.File;
import java.lang.management.ClassLoadingMXBean;
import java.lang.management.ManagementFactory;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import jprof.ThreadContext;

/**
 * More virtual threads with contexts than can have one at the same time.
 *
 * <p>usage: {@code java UnloadedContexts unloaded|held}
 *
 * <p>unloaded: a hundred class loaders, or more if {@link Rounds} says so, have a few thousand
 * threads each, and their own copy of jprof.ThreadContext. They are unloaded one after another.
 * After that, a thread of this class loader gets a context. The method span1 runs in the span 1,
 * the method none without a span. held: all threads exist at the same time; prints how many have
 * put a context.
 */
public final class UnloadedContexts {
    private static final int LOADERS = 100;
    private static final int THREADS = 3_000;
    private static final int HELD = 270_000;

    private static volatile long sink;

    private UnloadedContexts() {}

    /** The code that runs in each class loader. */
    public static final class Users implements Runnable {
        @Override
        public void run() {
            try {
                CountDownLatch done = new CountDownLatch(THREADS);
                for (int i = 0; i < THREADS; ++i) {
                    long span = i + 1;
                    Contexts.start("user", true, () -> {
                        ThreadContext.put(span, 0);
                        done.countDown();
                    });
                }
                done.await();
                inOneThread(2);
            } catch (Exception exception) {
                throw new IllegalStateException(exception);
            }
        }
    }

    public static void main(String[] arguments) throws Exception {
        if (arguments[0].equals("held")) {
            held();
            return;
        }
        ClassLoadingMXBean classes = ManagementFactory.getClassLoadingMXBean();
        for (int i = 0; Rounds.goOn(i, LOADERS); ++i) {
            use();
            if (i % 10 == 9) System.gc();
        }
        System.gc();
        System.out.println("unloaded=" + (classes.getUnloadedClassCount() >= LOADERS ? 1 : 0));
        inOneThread(300);
    }

    private static void inOneThread(int milliseconds) throws Exception {
        CountDownLatch done = new CountDownLatch(1);
        Contexts.start("judged", true, () -> {
            none(milliseconds);
            ThreadContext.put(1, 0);
            span1(milliseconds);
            ThreadContext.clear();
            none(milliseconds);
            done.countDown();
        });
        done.await();
    }

    private static void use() throws Exception {
        String[] path = System.getProperty("java.class.path").split(File.pathSeparator);
        URL[] urls = new URL[path.length];
        for (int i = 0; i < path.length; ++i) urls[i] = new File(path[i]).toURI().toURL();
        try (URLClassLoader loader = new URLClassLoader(urls, null)) {
            Class<?> users = Class.forName("UnloadedContexts$Users", true, loader);
            ((Runnable) users.getDeclaredConstructor().newInstance()).run();
        }
    }

    private static void held() throws Exception {
        CountDownLatch put = new CountDownLatch(HELD);
        CountDownLatch end = new CountDownLatch(1);
        AtomicInteger number = new AtomicInteger();
        for (int i = 0; i < HELD; ++i) {
            Contexts.start("held", true, () -> {
                ThreadContext.put(number.incrementAndGet(), 0);
                put.countDown();
                try {
                    end.await();
                } catch (InterruptedException exception) {
                    throw new IllegalStateException(exception);
                }
            });
        }
        put.await();
        System.out.println("put=" + HELD);
        end.countDown();
    }

    private static void span1(int milliseconds) {
        spin(milliseconds);
    }

    private static void none(int milliseconds) {
        spin(milliseconds);
    }

    private static void spin(int milliseconds) {
        long end = System.nanoTime() + milliseconds * 1_000_000L;
        long value = sink;
        while (System.nanoTime() < end) {
            for (int i = 0; i < 20_000; ++i) value = value * 31 + i;
        }
        sink = value;
    }
}
