package java.jprof;

import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * The methods that probes call. An object of this class counts the calls of one timed method.
 *
 * <p>The agent defines this class in the running JVM, in the boot loader. Its package begins with
 * {@code java.}: every class loader leaves such packages to the boot loader, even one that leaves
 * no other package to it (OSGi).
 *
 * <p>Counters are exact and need no lock: atomic additions, spread over stripes by thread. Threads
 * do not own counters, so no counter has to be found or freed when a (virtual) thread ends or
 * changes its carrier. A call allocates nothing if its thread has called the method before, with a
 * duration of the same magnitude. Nothing here parks or takes a monitor.
 *
 * <p>The methods that are called here, in any JDK, are never probed (probe_exclusions.def). The
 * methods that the JVM calls to link this class can be probed: open() links it before any method
 * has probes.
 */
public final class MethodProbes {
    /** The largest number of methods that have counters at a time; a power of two. */
    private static final int METHODS = 1024;

    /**
     * The number of cells of a block. Durations of one block share their highest bit, so the error
     * is below 1/128.
     */
    private static final int CELLS = 64;

    /**
     * A duration from CELLS on is shifted right by SHIFT_BELOW minus the number of its leading
     * zeros, so that its highest bit becomes the highest bit of CELLS.
     */
    private static final int SHIFT_BELOW = 57;

    private static final int BLOCKS = SHIFT_BELOW + 2;

    /** The number of blocks whose durations are not shifted. Their cells have one duration each. */
    private static final int EXACT_BLOCKS = 2;

    /**
     * The layout of one stripe of {@code sums}. A stripe takes two neighbouring cache lines.
     * EXCEPTIONS counts the exceptions of all calls. The other sums leave out calls whose durations
     * are in the EXACT_BLOCKS.
     */
    private static final int SUM = 0;

    private static final int EXCEPTIONS = 1;
    private static final int LONGEST = 2;
    private static final int SHORTEST = 3;
    private static final int STRIPE = 16;
    private static final int SUMS = 4;

    private static final int STRIPES = stripes();

    /** The threshold of methods that are only counted. */
    private static final long COUNTED = -1;

    /** The timed methods, by id modulo METHODS; null while no calls are counted. */
    private static volatile AtomicReferenceArray<MethodProbes> methods;

    /** The duration from which a call is reported to the agent, by id modulo METHODS. */
    private static volatile AtomicLongArray thresholds;

    /**
     * The calls, then the exceptions, of methods that are only counted, by stripe and id modulo
     * METHODS.
     */
    private static volatile AtomicLongArray counts;

    /**
     * The first id of this recording. Smaller ids belong to calls that began in an earlier
     * recording.
     */
    private static volatile int firstId;

    /**
     * The id that window() ignores, because calls of window() with this id change nothing any more.
     * A thread that still sees an old value calls edge(), which is harmless.
     */
    private static int settled;

    /**
     * A lower bound of the calls that could not be counted, because the stack or the heap was full.
     */
    private static volatile long uncounted;

    /** The arrays that read() returns, for a timed method and for one that is only counted. */
    private static long[] timed;

    private static long[] counted;

    private final int id;
    private final long threshold;
    private final AtomicLongArray sums = new AtomicLongArray(STRIPES * STRIPE);
    private final AtomicReferenceArray<AtomicLongArray> blocks =
            new AtomicReferenceArray<AtomicLongArray>(STRIPES * BLOCKS);

    private MethodProbes(int id, long threshold) {
        this.id = id;
        this.threshold = threshold;
        for (int stripe = 0; stripe < STRIPES; ++stripe) {
            sums.set(stripe * STRIPE + SHORTEST, Long.MAX_VALUE);
        }
    }

    // ---- probes

    public static long entry(int id) {
        return System.nanoTime();
    }

    public static void exit(int id, long start) {
        end(id, start, null);
    }

    public static void exception(Throwable thrown, int id, long start) {
        end(id, start, thrown);
    }

    /**
     * Replaces {@code entry} in methods that are only counted. Returns 1 if the call is counted,
     * else 0.
     */
    public static long count(int id) {
        return increment(id, 0) ? 1 : 0;
    }

    /** Counts the exception that ends a call, if the call was counted. */
    public static void countException(Throwable thrown, int id, long counted) {
        if (counted != 0) increment(id, METHODS);
    }

    private static boolean increment(int id, int part) {
        AtomicLongArray all = counts;
        if (all == null || id - firstId < 0) return false;
        try {
            all.getAndIncrement(stripe() * (2 * METHODS) + part + (id & (METHODS - 1)));
            return true;
        } catch (VirtualMachineError error) {
            ++uncounted;
            return false;
        }
    }

    /** Called at the entry of a method of begin= or end=. */
    public static long window(int id) {
        if (id != settled && edge(id)) settled = id;
        return 0;
    }

    /**
     * Makes the agent open or close the window. Returns true if later calls with this id make no
     * difference.
     */
    private static native boolean edge(int id);

    // Counts a call that ends. An error thrown here would look like an error of the method, so
    // calls for which the JVM has no stack or no memory left are added to uncounted instead.
    private static void end(int id, long start, Throwable thrown) {
        long duration = System.nanoTime() - start;
        try {
            AtomicReferenceArray<MethodProbes> all = methods;
            if (all == null) return;
            MethodProbes method = all.get(id & (METHODS - 1));
            if (method == null || method.id != id) {
                method = add(all, id);
                if (method == null) return;
            }
            method.count(duration, thrown != null);
            if (duration >= method.threshold) slow(id, start, duration, thrown);
        } catch (VirtualMachineError error) {
            ++uncounted;
        }
    }

    private static MethodProbes add(AtomicReferenceArray<MethodProbes> all, int id) {
        AtomicLongArray from = thresholds;
        if (from == null || id - firstId < 0) return null;
        int place = id & (METHODS - 1);
        all.compareAndSet(place, null, new MethodProbes(id, from.get(place)));
        MethodProbes method = all.get(place);
        return method.id == id ? method : null;
    }

    /**
     * Makes the agent record the call with its stack. {@code thrown} is null if the call returned.
     */
    private static native void slow(int id, long start, long duration, Throwable thrown);

    private void count(long duration, boolean isException) {
        if (duration < 0) duration = 0;
        int stripe = stripe();
        int shift = SHIFT_BELOW - Long.numberOfLeadingZeros(duration | CELLS);
        int index = (shift << 6) + (int) (duration >>> shift);
        int place = stripe * BLOCKS + (index >> 6);
        AtomicLongArray block = blocks.get(place);
        if (block == null) block = addBlock(place);
        block.getAndIncrement(index & (CELLS - 1));

        int base = stripe * STRIPE;
        if (isException) sums.getAndIncrement(base + EXCEPTIONS);
        if (shift == 0) return;
        sums.getAndAdd(base + SUM, duration);
        for (long longest = sums.get(base + LONGEST); duration > longest; ) {
            if (sums.compareAndSet(base + LONGEST, longest, duration)) break;
            longest = sums.get(base + LONGEST);
        }
        for (long shortest = sums.get(base + SHORTEST); duration < shortest; ) {
            if (sums.compareAndSet(base + SHORTEST, shortest, duration)) break;
            shortest = sums.get(base + SHORTEST);
        }
    }

    private AtomicLongArray addBlock(int place) {
        AtomicLongArray block = new AtomicLongArray(CELLS);
        return blocks.compareAndSet(place, null, block) ? block : blocks.get(place);
    }

    private static int stripe() {
        return System.identityHashCode(Thread.currentThread()) & (STRIPES - 1);
    }

    private static int stripes() {
        int wanted = Math.min(Runtime.getRuntime().availableProcessors(), 16);
        int stripes = 1;
        while (stripes < wanted) stripes <<= 1;
        return stripes;
    }

    // ---- for the agent, by JNI

    /** Starts to count calls to the methods with ids from {@code first} on, at most METHODS. */
    private static void open(int first) {
        firstId = first;
        uncounted = 0;
        timed = new long[SUMS + BLOCKS * CELLS];
        counted = new long[2];
        counts = new AtomicLongArray(STRIPES * 2 * METHODS);
        thresholds = new AtomicLongArray(METHODS);
        methods = new AtomicReferenceArray<MethodProbes>(METHODS);
        link(first);
        if (uncounted != 0) throw new OutOfMemoryError();
    }

    /**
     * Runs every probe and read() once, so that the JVM links all that they call. In JDK 9 and
     * later, the first call to an atomic operation makes the JVM link a VarHandle by calls to
     * java.lang.invoke, ConcurrentHashMap and others. If these had probes by then, each probe would
     * need the same link, and so on until the stack is full. Also, read() must not allocate, which
     * linking does. Each start does this again, because the JVM links these classes anew when
     * another agent retransforms them.
     */
    private static void link(int id) {
        countException(null, id, count(id));
        setThreshold(id, COUNTED);
        read(id);
        setThreshold(id, Long.MAX_VALUE); // slow() is not called
        // A short and a long call: only the long one changes the sums.
        exit(id, entry(id));
        exception(new Error(), id, entry(id) - CELLS * CELLS);
        read(id);

        int place = id & (METHODS - 1);
        setThreshold(id, 0);
        methods.set(place, null);
        for (int part = 0; part < 2 * STRIPES; ++part) counts.set(part * METHODS + place, 0);
    }

    /** Sets the method's entry of thresholds. Called before the first call to the method. */
    private static void setThreshold(int id, long threshold) {
        AtomicLongArray all = thresholds;
        if (all != null) all.set(id & (METHODS - 1), threshold);
    }

    private static void close() {
        methods = null;
        thresholds = null;
        counts = null;
        timed = null;
        counted = null;
    }

    /**
     * Returns the sums of all stripes, then the cells; null if the method has not been called. For
     * a method that is only counted, returns the calls and the exceptions. The result is valid
     * until the next call to read(). Called by one thread at a time. Allocates nothing, because at
     * the end of the JVM its collector might have stopped already.
     */
    private static long[] read(int id) {
        AtomicLongArray from = thresholds;
        if (from != null && from.get(id & (METHODS - 1)) == COUNTED) return readCounts(id);
        AtomicReferenceArray<MethodProbes> all = methods;
        MethodProbes method = all == null ? null : all.get(id & (METHODS - 1));
        return method == null || method.id != id ? null : method.read();
    }

    // Reads the exceptions first, so that they never exceed the calls.
    private static long[] readCounts(int id) {
        long[] result = counted;
        for (int part = 1; part >= 0; --part) {
            result[part] = 0;
            for (int stripe = 0; stripe < STRIPES; ++stripe) {
                result[part] += counts.get((2 * stripe + part) * METHODS + (id & (METHODS - 1)));
            }
        }
        return result;
    }

    private long[] read() {
        long[] result = timed;
        for (int i = 0; i < result.length; ++i) result[i] = 0; // Arrays.fill can have probes
        result[SHORTEST] = Long.MAX_VALUE;
        for (int stripe = 0; stripe < STRIPES; ++stripe) {
            int base = stripe * STRIPE;
            result[SUM] += sums.get(base + SUM);
            result[EXCEPTIONS] += sums.get(base + EXCEPTIONS);
            result[LONGEST] = Math.max(result[LONGEST], sums.get(base + LONGEST));
            result[SHORTEST] = Math.min(result[SHORTEST], sums.get(base + SHORTEST));
            for (int number = 0; number < BLOCKS; ++number) {
                AtomicLongArray block = blocks.get(stripe * BLOCKS + number);
                if (block == null) continue;
                for (int cell = 0; cell < CELLS; ++cell) {
                    int place = number * CELLS + cell;
                    long calls = block.get(cell);
                    result[SUMS + place] += calls;
                    if (calls == 0 || number >= EXACT_BLOCKS) continue;
                    result[SUM] += calls * place;
                    result[LONGEST] = Math.max(result[LONGEST], place);
                    result[SHORTEST] = Math.min(result[SHORTEST], place);
                }
            }
        }
        return result;
    }

    private static long uncounted() {
        return uncounted;
    }
}
