package java.jprof;

/**
 * The functions of the agent that ParkProbes calls. The class is in no module: for a class of
 * java.base the JVM would warn that natives of its own are replaced.
 */
public final class ParkNatives {
    private ParkNatives() {}

    /**
     * Counts the wait, and returns its weight as a sample; 0: it is not a sample. {@code thread}:
     * the id of the thread, negative if it is virtual; the calling thread unless the wait is
     * unfinished.
     */
    public static native long count(long thread, long waited, long now, boolean isUnfinished);

    /**
     * Makes the agent record the wait, with the stack of the calling thread or of the unfinished
     * wait.
     */
    public static native void ended(Thread thread, Object blocker, long start, long waited,
            long timeout, int flags, long owner, Thread waker, long weight);
}
