package java.jprof;

/**
 * The functions of the agent that ParkProbes calls. The class is in no named module. If it were in
 * java.base, the JVM would warn that the agent replaces a native method of the JDK.
 */
public final class ParkNatives {
    private ParkNatives() {}

    /**
     * Counts the wait, and returns the weight of its sample; 0 if no sample is taken. {@code
     * thread} is the id of the waiting thread, negative for a virtual thread. The waiting thread is
     * the calling thread, unless the wait is unfinished.
     */
    public static native long count(long thread, long waited, long now, boolean isUnfinished);

    /**
     * Makes the agent sample the wait with the stack of {@code thread}, which is the calling thread
     * unless the wait is unfinished.
     */
    public static native void ended(Thread thread, Object blocker, long start, long waited,
            long timeout, int flags, long owner, Thread waker, long weight);

    /**
     * Makes the agent keep the stack of {@code thread}, another thread than the calling one, for the
     * next call of waited(). {@code flags} are those of ParkProbes.
     */
    public static native void stackOf(Thread thread, int flags);

    /**
     * Makes the agent sample the time from {@code from} to {@code to}, which {@code thread} has spent
     * without a carrier, for {@code wall}. The stack is that of {@code thread}, which is the calling
     * thread unless the wait is unfinished. {@code counted} is ParkProbes.counted.
     */
    public static native void waited(Thread thread, Object blocker, long from, long to, long counted,
            int flags);
}
