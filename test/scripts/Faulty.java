import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongUnaryOperator;

/** A program for tests of scripts/strangers. With -Dfault=NAME it fails in this way under load. */
public final class Faulty implements Stranger.Program {
    private static final List<Thread> LEFT = new ArrayList<>();
    private static final List<Object> LEFT_CLASSES = new ArrayList<>();

    private final String fault = System.getProperty("fault", "");
    private final int[] calls = new int[16]; // counts by thread

    @Override
    public void start(int threads) {}

    @Override
    public long operation(int thread, int number) throws Exception {
        boolean isLater = calls[thread]++ >= 20; // each of its 10 operations was done twice
        long sum = 0;
        for (String word : work(number)) sum = Stranger.hash(sum, word);
        sum = Stranger.hash(sum, Lambdas.work(number));
        if (!isLater) return sum;
        switch (fault) {
            case "result":
                return sum + 1;
            case "exception":
                throw new IllegalStateException("as told");
            case "crash":
                Runtime.getRuntime().halt(134);
                break;
            case "hang":
                Thread.sleep(1_000_000);
                break;
            case "threads":
                leaveThread();
                break;
            case "classes":
                leaveClass();
                break;
            default:
                break;
        }
        return sum;
    }

    private static List<String> work(int number) {
        List<String> words = new ArrayList<>();
        for (int i = 0; i < 2000; ++i) words.add("word " + number * i);
        return words;
    }

    /** A class with lambdas, which the JVM links anew after each retransformation of the class. */
    static final class Lambdas {
        static long work(int number) {
            List<LongUnaryOperator> steps = List.of(each -> each + 1, each -> each * 3, each -> each - number,
                    each -> each ^ 7, each -> each << 1, each -> each * number, each -> each + 5, each -> each | 1);
            long sum = number;
            for (LongUnaryOperator step : steps) sum = step.applyAsLong(sum);
            return sum;
        }
    }

    /** True if the profiler is loaded. Growth before that would count as the program's own. */
    private static boolean isProfiled() throws Exception {
        Thread.sleep(20);
        return Files.readString(Path.of("/proc/self/maps")).contains("libprofiler.so");
    }

    /** Makes the class of a proxy in a loader of its own, and keeps it. */
    private static synchronized void leaveClass() throws Exception {
        if (LEFT_CLASSES.size() >= 2000 || !isProfiled()) return;
        for (int i = 0; i < 20; ++i) {
            LEFT_CLASSES.add(Proxy.newProxyInstance(new ClassLoader() {}, new Class<?>[] {Runnable.class},
                    (proxy, method, arguments) -> null));
        }
    }

    /** Leaves a thread running. */
    private static synchronized void leaveThread() throws Exception {
        if (LEFT.size() >= 400 || !isProfiled()) return;
        Thread thread = new Thread(() -> {
            try {
                Thread.sleep(1_000_000);
            } catch (InterruptedException exception) {
                throw new IllegalStateException(exception);
            }
        });
        thread.setDaemon(true);
        thread.start();
        LEFT.add(thread);
    }

    @Override
    public void stop() {}
}
