package jprof;

/**
 * Recordings of this JVM, controlled from within: the commands of jprof with the option strings of
 * its agent (docs/options.md).
 *
 * <pre>
 * Profiler profiler = Profiler.load();
 * profiler.start("cpu=10ms,context,file=/tmp/out.jfr");
 * ...
 * profiler.stop();
 * </pre>
 *
 * <p>All methods may be called by any thread; a command waits for another one that is running.
 */
public final class Profiler {
    private static Profiler loaded;

    private final BridgeCalls bridge;
    private volatile boolean isClosed;

    private Profiler(BridgeCalls bridge) {
        this.bridge = bridge;
    }

    /**
     * The profiler, with the first of these libraries: the one that the JVM has loaded, as an agent
     * or for a copy of this class in another class loader; the one at the path that the system
     * property {@code jprof.library} names; {@code libprofiler.so} in the folder of this jar; the
     * one inside of this jar ({@code jprof/linux-x64/libprofiler.so}). Registers the bean {@code
     * jprof:type=Profiler} where the JVM has the module java.management and allows it.
     *
     * <p>Nothing of the JVM then refers to this class: its class loader can be unloaded, also while
     * something is recorded.
     *
     * @throws ProfilerException none can be loaded
     */
    public static Profiler load() {
        return load(null);
    }

    /**
     * As above, with the library at this path unless another one is loaded.
     *
     * @param path absolute, of libprofiler.so
     */
    public static synchronized Profiler load(String path) {
        if (loaded == null) {
            BridgeCalls bridge = Library.load(path);
            bridge.open(Profiler.class);
            loaded = new Profiler(bridge);
        }
        return loaded;
    }

    /**
     * One command, as {@code start,cpu=10ms,file=/tmp/out.jfr}.
     *
     * @return the answer, for the user
     * @throws ProfilerException it was refused, or has failed
     */
    public String execute(String command) {
        if (isClosed) throw new ProfilerException("this profiler is closed: call Profiler.load()");
        return bridge.execute(command);
    }

    /**
     * Starts a recording, as {@code cpu=10ms,file=/tmp/out.jfr}; {@code ""}: the agent's defaults.
     */
    public String start(String options) {
        return execute(options.isEmpty() ? "start" : "start," + options);
    }

    /** Stops the recording and completes its file. */
    public String stop() {
        return execute("stop");
    }

    /** Brings the file up to date; the recording goes on. */
    public String dump() {
        return execute("dump");
    }

    /** What is recorded, how and how much. */
    public String status() {
        return execute("status");
    }

    /**
     * Ends the use by this class loader: commands are refused from now on, until {@link #load} is
     * called again. The bean goes with its last user. A recording goes on.
     */
    public void close() {
        synchronized (Profiler.class) {
            if (isClosed) return;
            isClosed = true;
            loaded = null;
            bridge.close(Profiler.class);
        }
    }
}
