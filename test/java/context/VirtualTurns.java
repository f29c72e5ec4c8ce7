import java.util.Scanner;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import jprof.Profiler;
import jprof.ProfilerException;
import jprof.ThreadContext;

/**
 * Two virtual threads that take turns at executing words of standard input. On a single carrier,
 * only one of them is mounted at a time; after the word "idle", none is until the next word. A line
 * "ok" answers each word. The argument is the option string of the recording that the word "record"
 * starts.
 */
public final class VirtualTurns {
    private static final Scanner WORDS = new Scanner(System.in);
    private static final Semaphore[] TURNS = {new Semaphore(1), new Semaphore(0)};

    private static final Semaphore IDLE = new Semaphore(0);
    /** The thread that has left the carrier idle. */
    private static volatile Thread unmounted;
    private static volatile int unmountedIndex;

    private VirtualTurns() {}

    public static void main(String[] arguments) throws Exception {
        CountDownLatch done = new CountDownLatch(2);
        for (int i = 0; i < 2; ++i) {
            int self = i;
            Contexts.start("turn-" + i, true, () -> {
                obey(self, arguments[0]);
                done.countDown();
            });
        }
        Thread idle = new Thread(VirtualTurns::idle);
        idle.setDaemon(true);
        idle.start();
        done.await();
    }

    private static void idle() {
        while (true) {
            IDLE.acquireUninterruptibly();
            while (unmounted.getState() != Thread.State.WAITING) Thread.yield();
            System.out.println("ok");
            WORDS.next();
            TURNS[unmountedIndex].release();
        }
    }

    private static void obey(int self, String options) {
        TURNS[self].acquireUninterruptibly();
        System.out.println("ok");
        while (WORDS.hasNext()) {
            switch (WORDS.next()) {
                case "record":
                    record(options);
                    break;
                case "trace":
                    ThreadContext.put(
                            0x0123456789abcdefL, 0xfedcba9876543210L, 0xff, 1, 0x0f1e2d3c4b5a6978L);
                    break;
                case "short":
                    ThreadContext.putTag("stage", "first");
                    break;
                case "long":
                    ThreadContext.putTag("stage", new String(new char[200]).replace('\0', 'x'));
                    break;
                case "clear":
                    ThreadContext.clear();
                    break;
                case "idle":
                    unmounted = Thread.currentThread();
                    unmountedIndex = self;
                    IDLE.release();
                    TURNS[self].acquireUninterruptibly();
                    break;
                case "other":
                    TURNS[1 - self].release();
                    TURNS[self].acquireUninterruptibly();
                    break;
                default:  // the thread ends with its context
                    TURNS[1 - self].release();
                    return;
            }
            System.out.println("ok");
        }
    }

    private static void record(String options) {
        try {
            Profiler profiler = Profiler.load();
            profiler.stop();
            profiler.start(options);
        } catch (ProfilerException exception) {
            throw new IllegalStateException(exception);
        }
    }
}
