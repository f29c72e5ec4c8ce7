package jprof;

/**
 * Controls recordings of this JVM from within, by the commands of jprof with the option strings of
 * its agent (docs/options.md).
 *
 * <pre>
 * Profiler profiler = Profiler.load();
 * profiler.start("cpu=10ms,context,file=/tmp/out.jfr");
 * ...
 * profiler.stop();
 * </pre>
 *
 * <p>Any thread may call any method. A command waits for the end of another command that is
 * running.
 */
public final class Profiler {
    private static Profiler loaded;

    private final BridgeCalls bridge;
    private volatile boolean isClosed;

    private Profiler(BridgeCalls bridge) {
        this.bridge = bridge;
    }

    /**
     * Returns the profiler. Uses the first library that exists of these: the one that the JVM has
     * already loaded, as an agent or for a copy of this class in another class loader; the one at
     * the path in the system property {@code jprof.library}; {@code libprofiler.so} in the folder
     * of this jar; the one inside this jar or inside the artifact {@code jprof-natives} ({@code
     * jprof/linux-x64/libprofiler.so}, or {@code linux-arm64}). Registers the bean {@code jprof:type=Profiler} if the JVM has the module
     * java.management and allows it.
     *
     * <p>The JVM keeps no reference to this class, so that its class loader can be unloaded, even
     * during a recording.
     *
     * @throws ProfilerException if no library can be loaded
     */
    public static Profiler load() {
        return load(null);
    }

    /**
     * Returns the profiler. Uses the library at this path, unless the JVM has already loaded
     * another one.
     *
     * @param path the absolute path of libprofiler.so
     * @throws ProfilerException if no library can be loaded
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
     * Executes one command, such as {@code start,cpu=10ms,file=/tmp/out.jfr}.
     *
     * @return the answer, for the user
     * @throws ProfilerException if the command was refused or has failed
     */
    public String execute(String command) {
        if (isClosed) throw new ProfilerException("this profiler is closed: call Profiler.load()");
        return bridge.execute(command);
    }

    /**
     * Starts a recording with options such as {@code cpu=10ms,file=/tmp/out.jfr}; {@code ""} stands
     * for the agent's defaults.
     */
    public String start(String options) {
        return execute(options.isEmpty() ? "start" : "start," + options);
    }

    /** Stops the recording and completes its file. */
    public String stop() {
        return execute("stop");
    }

    /** Writes all data recorded up to now to the file. The recording continues. */
    public String dump() {
        return execute("dump");
    }

    /** Returns what is being recorded, with which options, and how many samples there are. */
    public String status() {
        return execute("status");
    }

    /**
     * Ends the use of the profiler by this class loader. This object refuses all later commands;
     * {@link #load} returns a new one. The bean is removed with the last object that uses it. A
     * recording continues.
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
