import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A program for tests of scripts/strangers: -Dfault=NAME makes it fail in that way under load. */
public final class Faulty implements Stranger.Program {
    private static final List<Thread> LEFT = new ArrayList<>();

    private final String fault = System.getProperty("fault", "");
    private final int[] calls = new int[16]; // counts by thread

    @Override
    public void start(int threads) {}

    @Override
    public long operation(int thread, int number) throws Exception {
        boolean isLater = calls[thread]++ >= 20; // it has 10 operations per thread
        long sum = 0;
        for (String word : work(number)) sum = Stranger.hash(sum, word);
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

    /** Leaves a thread running if the profiler is loaded: earlier growth is the program's own. */
    private static synchronized void leaveThread() throws Exception {
        if (LEFT.size() >= 400) return;
        Thread.sleep(20);
        if (!Files.readString(Path.of("/proc/self/maps")).contains("libprofiler.so")) return;
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
