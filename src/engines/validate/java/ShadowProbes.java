package java.jprof;

// On JDK 8 the class is sun.misc.Unsafe: cmake/BootClass.cmake.
import jdk.internal.misc.Unsafe;

/**
 * The methods that the probes of `validate` call. They keep a shadow stack for each thread, in
 * memory of the agent (sigsafe/validation/shadow_stacks.h): the probed methods that the thread has
 * entered and not left.
 *
 * <p>The agent lets this class use the JDK's own Unsafe. The probes call no other class of the JDK
 * except Thread, and no method that the program can override.
 * Each store is volatile, so that no compiler leaves it out or moves it. A push writes the depth as
 * its last action, so that a StackOverflowError in the probe comes before the push.
 */
public final class ShadowProbes {
    /** The token of a call that is on no shadow stack. */
    private static final long NONE = -1;

    // The layout of ShadowStacks.
    private static final int PLACE_BITS = 14;
    private static final int PLACES = 1 << PLACE_BITS;
    private static final int PROBES = 8;
    private static final int STACK_BYTES = 16 * 1024;
    private static final int DOUBT = 8;
    private static final int HEADER = 64;
    private static final long MOST = (STACK_BYTES - HEADER) / 8;

    /** 2^64 divided by the golden ratio, an odd number without a pattern. */
    private static final long SPREAD = 0x9E3779B97F4A7C15L;

    private static Unsafe unsafe;
    private static long idOffset;

    /** The address of ShadowStacks::owners(); 0 while no stacks are kept. */
    private static volatile long owners;

    private static long stacks;

    /** The address of the counters of the numbers: a call for which the counter is 0 is checked. */
    private static long countdowns;

    /** The first number of this recording. A call of an earlier recording does nothing. */
    private static int first;

    private ShadowProbes() {}

    // ---- probes

    public static long entry(int number) {
        long places = owners;
        if (places == 0 || number < first) return NONE;
        long thread = unsafe.getLong(Thread.currentThread(), idOffset);
        long stack = stackOf(places, thread);
        if (stack == 0 && (stack = claim(thread)) == 0) return NONE;
        long depth = unsafe.getLong(stack);
        long countdown = countdowns + 4L * (number - first);
        int left = unsafe.getInt(countdown);
        if (left == 0) {
            check(number, thread);
            return depth;
        }
        unsafe.putInt(countdown, left - 1);
        if (depth < MOST) unsafe.putLongVolatile(null, stack + HEADER + 8 * depth, number);
        unsafe.putLongVolatile(null, stack, depth + 1);
        return depth;
    }

    public static void exit(int number, long token) {
        end(number, token, false);
    }

    /**
     * After a StackOverflowError the stack is doubtful until the next call ends normally: until
     * then, it might have the entry of a call whose own probe had no stack left.
     */
    public static void exception(Throwable thrown, int number, long token) {
        end(number, token, thrown instanceof StackOverflowError);
    }

    private static void end(int number, long token, boolean isDoubtful) {
        long places = owners;
        if (token < 0 || places == 0 || number < first) return;
        long thread = unsafe.getLong(Thread.currentThread(), idOffset);
        long stack = stackOf(places, thread);
        if (stack == 0) return;
        boolean isLast = token == 0;
        long doubt = isDoubtful && !isLast ? 1 : 0;
        if (unsafe.getLong(stack + DOUBT) != doubt) {
            unsafe.putLongVolatile(null, stack + DOUBT, doubt);
        }
        unsafe.putLongVolatile(null, stack, token);
        if (isLast) release(places, stack);
    }

    /** Returns the address of the thread's ShadowStack; 0 if it has none. */
    private static long stackOf(long places, long thread) {
        int place = (int) (thread * SPREAD >>> 64 - PLACE_BITS);
        for (int probe = 0; probe < PROBES; ++probe) {
            if (unsafe.getLong(places + 8L * place) == thread) {
                return stacks + (long) STACK_BYTES * place;
            }
            place = place + 1 & PLACES - 1;
        }
        return 0;
    }

    private static void release(long places, long stack) {
        unsafe.putLongVolatile(null, places + 8 * ((stack - stacks) / STACK_BYTES), 0);
    }

    /**
     * Gives the calling thread, whose id is {@code thread}, an empty shadow stack. Returns its
     * address; 0 if there is no place for it.
     */
    private static native long claim(long thread);

    /**
     * Pushes the method with this number, which the thread has just entered, and compares the stack
     * that JVMTI reports with the shadow stack and with the stacks that the walkers find.
     */
    private static native void check(int number, long thread);

    // ---- for the agent, by JNI

    /** Starts to keep stacks. The addresses are those of the agent's memory. */
    private static void open(long newOwners, long newStacks, long newCountdowns, int newFirst)
            throws NoSuchFieldException {
        unsafe = Unsafe.getUnsafe();
        idOffset = unsafe.objectFieldOffset(Thread.class.getDeclaredField("tid"));
        stacks = newStacks;
        countdowns = newCountdowns;
        first = newFirst;
        owners = newOwners;
        link(newFirst);
    }

    /** Runs every probe once, so that the JVM links all that they call before a method has one. */
    private static void link(int number) {
        exception(new StackOverflowError(), number, entry(number));
        exit(number, entry(number));
    }

    private static void close() {
        owners = 0;
    }
}
