import com.sun.management.OperatingSystemMXBean;
import com.sun.management.UnixOperatingSystemMXBean;
import java.io.BufferedReader;
import java.io.File;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Runs a third-party program under load.
 *
 * <p>usage: {@code java Stranger DRIVER OPERATIONS THREADS SECONDS}
 *
 * <p>DRIVER is a class that implements {@link Program}. Does each of OPERATIONS once, and prints
 * "result", which depends only on their results. Then prints "ready" and repeats the operations for
 * SECONDS or, if this is 0, until the line "end" is read from standard input. Counts as "wrong"
 * each operation whose result differs from its first one.
 *
 * <p>The line "counts" on standard input prints the numbers of threads, of open descriptors and of
 * bytes of metaspace after a garbage collection. The line "retransform TIMES CLASS,..."
 * retransforms these classes if the agent {@link Retransforms} is loaded. At the end prints the
 * figures of the JVM and of the load.
 */
public final class Stranger {
    /** A third-party program, started and stopped by a driver of test/strangers. */
    interface Program {
        /** Starts the program. {@code threads} threads will do operations at the same time. */
        void start(int threads) throws Exception;

        /**
         * Does an operation and returns a hash of its result, which depends only on {@code number}.
         * Each operation is always done by the same thread, and a thread does one operation at a
         * time.
         */
        long operation(int thread, int number) throws Exception;

        /** Stops the program. */
        void stop() throws Exception;
    }

    private static final boolean HAS_TOTAL = Runtime.version().feature() >= 21;
    private static final long NOTE_MILLIS = 10;
    private static final int MOST_LATENCIES = 1 << 18; // per thread; the oldest are overwritten

    private static final Map<Long, Long> ALLOCATED = new ConcurrentHashMap<>(); // bytes by thread

    private final Program program;
    private final int operations;
    private final int threads;
    private final long[] results;
    private final long[][] latencies;
    private final long[] done;
    private final AtomicInteger wrong = new AtomicInteger();
    private final AtomicReference<Exception> failure = new AtomicReference<>();
    private volatile boolean isWarm;
    private volatile boolean isOver;

    private Stranger(Program program, int operations, int threads) {
        this.program = program;
        this.operations = operations;
        this.threads = threads;
        results = new long[operations];
        latencies = new long[threads][MOST_LATENCIES];
        done = new long[threads];
    }

    public static void main(String[] arguments) {
        try {
            begin(arguments);
            System.exit(0); // the program might have left threads running
        } catch (Throwable failure) { // threads that still run must not keep the JVM alive
            failure.printStackTrace();
            Runtime.getRuntime().halt(1);
        }
    }

    private static void begin(String[] arguments) throws Exception {
        print("begin.cpu.nanos", cpuNanos());
        print("begin.allocated.bytes", allocatedBytes());
        if (!HAS_TOTAL) watchAllocations();
        Program program =
                (Program) Class.forName(arguments[0]).getDeclaredConstructor().newInstance();
        new Stranger(program, Integer.parseInt(arguments[1]), Integer.parseInt(arguments[2]))
                .run(Double.parseDouble(arguments[3]));
    }

    /** Returns the folder for the files of this run. */
    static Path folder() {
        return Path.of(System.getProperty("stranger.folder"));
    }

    /** Returns the class path of the jars whose names start with {@code begin}. */
    static String classPathOf(String begin) {
        return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(each -> new File(each).getName().startsWith(begin))
                .collect(Collectors.joining(File.pathSeparator));
    }

    static long hash(long sum, long value) {
        return (sum ^ value) * 0x9E3779B97F4A7C15L + (sum >>> 29);
    }

    static long hash(long sum, byte[] bytes) {
        for (byte each : bytes) sum = sum * 31 + each;
        return hash(sum, bytes.length);
    }

    static long hash(long sum, String text) {
        return hash(sum, text.getBytes(StandardCharsets.UTF_8));
    }

    /** Returns the hash of the class files in a folder, and removes the folder. */
    static long hashAndRemove(Path classes) throws Exception {
        List<Path> files;
        try (Stream<Path> all = Files.walk(classes)) {
            files = all.sorted().collect(Collectors.toList());
        }
        long sum = 0;
        for (Path each : files) {
            if (each.toString().endsWith(".class")) {
                sum = hash(sum, classes.relativize(each).toString());
                sum = hash(sum, Files.readAllBytes(each));
            }
        }
        for (int i = files.size() - 1; i >= 0; --i) Files.delete(files.get(i));
        return sum;
    }

    private void run(double seconds) throws Exception {
        program.start(threads);
        onEveryThread(this::doOnce);
        long result = 0;
        for (int i = 0; i < operations; ++i) result += hash(results[i], i);
        print("result", Long.toHexString(result));
        print("ready", ProcessHandle.current().pid());

        Thread clock = new Thread(() -> keepTime(seconds), "clock");
        clock.setDaemon(true);
        clock.start();
        if (seconds == 0) {
            Thread listener = new Thread(this::listen, "listener");
            listener.setDaemon(true);
            listener.start();
        }
        long begin = System.nanoTime();
        onEveryThread(this::doUntilTheEnd);
        long end = System.nanoTime();

        printLatencies();
        print("wall.nanos", end - begin);
        print("wrong", wrong.get());
        print("end.counts", counts());
        program.stop(); // before the figures are printed, because the recording contains it as well
        print("end.allocated.bytes", allocatedBytes());
        print("threads.unseen", unseenThreads());
        print("end.cpu.nanos", cpuNanos());
    }

    private interface Loop {
        void run(int thread) throws Exception;
    }

    private void onEveryThread(Loop loop) throws Exception {
        Thread[] team = new Thread[threads];
        for (int i = 0; i < threads; ++i) {
            int index = i;
            team[i] = new Thread(() -> runOrFail(loop, index), "load-" + i);
            team[i].start();
        }
        for (Thread each : team) each.join();
        if (failure.get() != null) throw failure.get();
    }

    private void runOrFail(Loop loop, int thread) {
        try {
            loop.run(thread);
        } catch (Exception | LinkageError exception) {
            failure.compareAndSet(null, new Exception("in an operation", exception));
            isOver = true;
        }
        noteAllocations();
    }

    private void doOnce(int thread) throws Exception {
        for (int i = thread; i < operations && failure.get() == null; i += threads) {
            results[i] = program.operation(thread, i);
        }
    }

    private void doUntilTheEnd(int thread) throws Exception {
        int number = thread;
        int measured = 0;
        while (!isOver) {
            long begin = System.nanoTime();
            long result = program.operation(thread, number);
            long nanos = System.nanoTime() - begin;
            if (result != results[number]) wrong.incrementAndGet();
            if (isWarm) latencies[thread][measured++ % MOST_LATENCIES] = nanos;
            ++done[thread];
            number += threads;
            if (number >= operations) number = thread;
        }
        latencies[thread] = Arrays.copyOf(latencies[thread], Math.min(measured, MOST_LATENCIES));
    }

    /** Ends the load after {@code seconds}. Latencies count after a quarter of this time. */
    private void keepTime(double seconds) {
        try {
            Thread.sleep((long) (seconds * 250));
            isWarm = true;
            if (seconds == 0) return;
            Thread.sleep((long) (seconds * 750));
        } catch (InterruptedException exception) {
            throw new IllegalStateException(exception);
        }
        isOver = true;
    }

    private void listen() {
        try (BufferedReader in = new BufferedReader(new InputStreamReader(System.in))) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                if (line.equals("counts")) print("counts", counts());
                if (line.startsWith("retransform ")) retransform(line.split(" "));
                if (line.equals("end")) break;
            }
        } catch (Exception exception) {
            failure.compareAndSet(null, exception);
        }
        isOver = true;
    }

    private void printLatencies() {
        long[] all = Arrays.stream(latencies).flatMapToLong(Arrays::stream).sorted().toArray();
        print("operations", Arrays.stream(done).sum());
        if (all.length == 0) return;
        print("p50.nanos", all[all.length / 2]);
        print("p99.nanos", all[(int) Math.min(all.length - 1, all.length * 99L / 100)]);
    }

    /** Retransforms classes. {@code words}: the number of times, then the names of the classes. */
    private static void retransform(String[] words) throws Exception {
        Retransforms.repeat(Set.of(words[2].split(",")), Integer.parseInt(words[1]));
        print("retransformed", words[1]);
    }

    private static String counts() {
        for (int i = 0; i < 3; ++i) System.gc();
        long metaspace = 0;
        for (MemoryPoolMXBean each : ManagementFactory.getMemoryPoolMXBeans()) {
            if (each.getName().equals("Metaspace")) metaspace = each.getUsage().getUsed();
        }
        UnixOperatingSystemMXBean system =
                (UnixOperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        return ManagementFactory.getThreadMXBean().getThreadCount() + " "
                + system.getOpenFileDescriptorCount() + " " + metaspace;
    }

    /** Returns the number of threads that ended before their allocated bytes could be noted. */
    private static long unseenThreads() {
        return HAS_TOTAL ? 0 : threads().getTotalStartedThreadCount() - ALLOCATED.size();
    }

    private static long cpuNanos() {
        return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
                .getProcessCpuTime();
    }

    /**
     * Returns the bytes that all threads have allocated. JDKs before 21 have no such count; there
     * it is the sum over the threads that were seen. This sum is complete if threads.unseen is 0,
     * except for what ended threads allocated in their last NOTE_MILLIS.
     */
    private static long allocatedBytes() throws ReflectiveOperationException {
        com.sun.management.ThreadMXBean bean = threads();
        if (HAS_TOTAL) {
            return (long) com.sun.management.ThreadMXBean.class
                    .getMethod("getTotalThreadAllocatedBytes").invoke(bean);
        }
        noteAllocations();
        return ALLOCATED.values().stream().mapToLong(Long::longValue).sum();
    }

    private static com.sun.management.ThreadMXBean threads() {
        return (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    }

    private static void noteAllocations() {
        if (HAS_TOTAL) return;
        long[] ids = threads().getAllThreadIds();
        long[] bytes = threads().getThreadAllocatedBytes(ids);
        for (int i = 0; i < ids.length; ++i) {
            if (bytes[i] >= 0) ALLOCATED.merge(ids[i], bytes[i], Math::max);
        }
    }

    private static void watchAllocations() {
        Thread watcher = new Thread(() -> {
            try {
                for (;;) {
                    noteAllocations();
                    Thread.sleep(NOTE_MILLIS);
                }
            } catch (InterruptedException exception) {
                throw new IllegalStateException(exception);
            }
        }, "watcher");
        watcher.setDaemon(true);
        watcher.start();
    }

    private static void print(String key, Object value) {
        System.out.println(key + "=" + value);
        System.out.flush();
    }
}
