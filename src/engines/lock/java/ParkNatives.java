package java.jprof;

/**
 * The functions of the agent that ParkProbes calls. The class is in no named module: for a
 * class of java.base the JVM would warn that one of its own native methods is replaced.
 */
public final class ParkNatives {
    private ParkNatives() {}

    /**
     * Counts the wait, and returns the weight of its sample; 0 if no sample is taken. {@code
     * thread}: the id of the thread that waits, negative for a virtual thread. This is the calling
     * thread, unless the wait is unfinished.
     */
    public static native long count(long thread, long waited, long now, boolean isUnfinished);

    /**
     * Makes the agent sample the wait with the stack of {@code thread}, which is the calling thread
     * unless the wait is unfinished.
     */
    public static native void ended(Thread thread, Object blocker, long start, long waited,
            long timeout, int flags, long owner, Thread waker, long weight);
}
