package jprof;

import java.nio.charset.Charset;
import java.util.Arrays;

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
    private static final Charset UTF_8 = Charset.forName("UTF-8");
    private static final int OK = 0;

    private static Profiler loaded;

    /** Not null: another class loader has the library, and its bean answers. */
    private final Beans.Remote other;

    private Profiler(Beans.Remote other) {
        this.other = other;
    }

    /**
     * The profiler, with the first of these libraries: the one that the JVM has loaded as an agent;
     * the one at the path that the system property {@code jprof.library} names; {@code
     * libprofiler.so} in the folder of this jar; the one inside of this jar ({@code
     * jprof/linux-x64/libprofiler.so}). Registers the bean {@code jprof:type=Profiler} where the
     * JVM has the module java.management.
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
            Beans.Remote other = find();
            if (other == null) Library.load(path);
            loaded = new Profiler(other);
            if (other == null) register(loaded);
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
        if (other != null) return other.execute(command);
        byte[] answer = execute0(command.getBytes(UTF_8));
        String text = new String(answer, 1, answer.length - 1, UTF_8).trim();
        if (answer[0] != OK) throw new ProfilerException(text);
        return text;
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

    // Without the module java.management there are no beans.
    private static Beans.Remote find() {
        try {
            return Beans.find();
        } catch (LinkageError error) {
            return null;
        }
    }

    private static void register(Profiler profiler) {
        try {
            Beans.register(profiler);
        } catch (LinkageError error) {
            return;
        }
    }

    /** Whether the native method is there. */
    static boolean isBound() {
        try {
            byte[] answer = execute0("version".getBytes(UTF_8));
            return answer.length > 0;
        } catch (UnsatisfiedLinkError error) {
            return false;
        }
    }

    private static native byte[] execute0(byte[] command);
}
