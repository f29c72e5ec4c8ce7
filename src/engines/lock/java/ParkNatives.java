package java.jprof;

/**
 * What ParkProbes asks of the agent. In no module: of a class of java.base the JVM would warn that
 * natives of its own are replaced.
 */
public final class ParkNatives {
    private ParkNatives() {}

    /**
     * Counts the wait, and returns its weight as a sample, 0: it is none. {@code thread}: its id,
     * negative if it is virtual; it is the calling one unless the wait is unfinished.
     */
    public static native long count(long thread, long waited, long now, boolean isUnfinished);

    /**
     * The agent records the wait, with the stack of the calling thread or of the unfinished wait.
     */
    public static native void ended(Thread thread, Object blocker, long start, long waited,
            long timeout, int flags, long owner, Thread waker, long weight);
}
