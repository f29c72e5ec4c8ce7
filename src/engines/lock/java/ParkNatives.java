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
     * the calling thread, unless the wait is unfinished. {@code draw} is a random number from 0 to
     * 1.
     */
    public static native long count(long thread, long waited, double draw, boolean isUnfinished);

    /**
     * Makes the agent sample the wait with the stack of {@code thread}, which is the calling thread
     * unless the wait is unfinished. {@code holderStack} and {@code wakerStack} are ids of stacks,
     * or 0.
     */
    public static native void ended(Thread thread, Object blocker, long start, long waited,
            long timeout, int flags, long owner, Thread waker, long weight, long holder,
            long holderStack, long wakerStack);

    /** Stores the stack of the calling thread, and returns its id; 0 if that is not possible. */
    public static native long stackOfWaker();

    /**
     * Reports that the thread with the signed id {@code holder} holds the lock for which the park
     * at {@code place} waits. {@code runner} is the id of the platform thread that runs the holder,
     * or 0. Called by ParkHolders.look.
     */
    public static native void held(int place, long start, long holder, long runner);

    /** Reports a stack that is still needed. Called by ParkHolders.keep. */
    public static native void stored(long stack);

    /**
     * Makes the agent sample the time from {@code from} to {@code to}, which {@code thread} has
     * spent without a carrier, for {@code wall}. The thread is the calling thread. {@code counted}
     * and {@code flags} are those of ParkProbes.
     */
    public static native void waited(Thread thread, Object blocker, long from, long to,
            long counted, int flags);

    /**
     * Makes the agent keep the stacks of the first {@code count} threads, for calls of waitsOn().
     * None of them is the calling thread.
     */
    public static native void stacksOf(Thread[] threads, int count);

    /** Does what waited() does for thread {@code number} of stacksOf(), whose wait goes on. */
    public static native void waitsOn(int number, Thread thread, Object blocker, long from, long to,
            long counted, int flags);
}
