import java.lang.reflect.Field;
import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import jprof.ThreadContext;

/**
 * Contexts of threads whose thread-local variables are erased.
 *
 * <p>usage: {@code java ErasedContexts pool|platform|virtual}
 *
 * <p>With {@code pool}, the common pool erases the variables between its tasks; otherwise the
 * program erases those of a platform or virtual thread. Runs for as long as {@link Rounds} says.
 * The method spanN runs in the span N, the method none without a span; each takes some
 * milliseconds. Prints the number of context buffers that the thread has had and, for {@code pool},
 * how often it found its variables erased.
 */
public final class ErasedContexts {
    private static final int ROUNDS = 20;
    private static final ThreadLocal<String> MARK = new ThreadLocal<>();
    private static final Set<ByteBuffer[]> BUFFERS =
            Collections.newSetFromMap(new IdentityHashMap<>());

    private static ThreadLocal<ByteBuffer[]> memory;
    private static volatile Thread worker;
    private static int erased;
    private static ThreadContext.Scope scope;
    private static volatile long sink;

    private ErasedContexts() {}

    private interface Step {
        void run() throws Exception;
    }

    /** Runs a step. Thread-local variables are erased after it. */
    private interface Stage {
        void run(Step step) throws Exception;
    }

    public static void main(String[] arguments) throws Exception {
        Field field = ThreadContext.class.getDeclaredField("MEMORY");
        field.setAccessible(true);
        @SuppressWarnings("unchecked")
        ThreadLocal<ByteBuffer[]> value = (ThreadLocal<ByteBuffer[]>) field.get(null);
        memory = value;
        if (arguments[0].equals("pool")) {
            rounds(ErasedContexts::inPool);
        } else {
            CountDownLatch done = new CountDownLatch(1);
            Contexts.start("worker", arguments[0].equals("virtual"), () -> {
                try {
                    rounds(ErasedContexts::erasing);
                } catch (Exception exception) {
                    throw new IllegalStateException(exception);
                }
                done.countDown();
            });
            done.await();
        }
        System.out.println("buffers=" + BUFFERS.size());
        System.out.println("erased=" + erased);
    }

    /** Sets contexts in some stages, which later stages clear or restore. */
    private static void rounds(Stage stage) throws Exception {
        for (int i = 0; Rounds.goOn(i, ROUNDS); ++i) {
            stage.run(() -> {
                ThreadContext.put(1, 0);
                span1();
            });
            stage.run(ErasedContexts::span1);
            stage.run(() -> {
                ThreadContext.clear();
                none();
            });
            stage.run(() -> {
                scope = ThreadContext.open(2, 0);
                span2();
            });
            stage.run(() -> {
                scope.close();
                none();
            });
            stage.run(() -> {
                ThreadContext.putTag("a", "x");
                ThreadContext.put(1, 0);
                scope = ThreadContext.open(2, 0);
                span2();
            });
            stage.run(() -> {
                scope.close();
                span1();
            });
            stage.run(ThreadContext::clear);
        }
    }

    // Runs all steps on the same thread. If another thread of the pool gets the task, it submits
    // the task again, and waits until the task is done.
    private static void inPool(Step step) throws Exception {
        CountDownLatch done = new CountDownLatch(1);
        Runnable task = new Runnable() {
            @Override
            public void run() {
                try {
                    if (worker == null) worker = Thread.currentThread();
                    if (worker != Thread.currentThread()) {
                        submit(this);
                        awaitOther(done);
                        return;
                    }
                    if (MARK.get() == null) ++erased;
                    MARK.set("here");
                    step.run();
                    note();
                    done.countDown();
                } catch (Exception exception) {
                    throw new IllegalStateException(exception);
                }
            }
        };
        submit(task);
        done.await();
    }

    // Submits empty tasks while it waits: JDK 17's pool sometimes wakes no thread for the real
    // task.
    private static void awaitOther(CountDownLatch done) throws InterruptedException {
        while (!done.await(50, TimeUnit.MILLISECONDS)) ForkJoinPool.commonPool().execute(() -> {});
    }

    private static void submit(Runnable task) {
        if (erased % 2 == 0) {
            ForkJoinPool.commonPool().execute(task);
        } else {
            CompletableFuture<Void> unused =
                    CompletableFuture.runAsync(task, ForkJoinPool.commonPool());
        }
    }

    private static void erasing(Step step) throws Exception {
        step.run();
        note();
        Field field = Thread.class.getDeclaredField("threadLocals");
        field.setAccessible(true);
        field.set(Thread.currentThread(), null);
    }

    private static void note() {
        ByteBuffer[] now = memory.get();
        if (now != null) BUFFERS.add(now);
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
        long end = System.nanoTime() + 3_000_000;
        long value = sink;
        while (System.nanoTime() < end) {
            for (int i = 0; i < 20_000; ++i) value = value * 31 + i;
        }
        sink = value;
    }
}
