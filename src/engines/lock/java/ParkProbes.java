package jdk.internal.misc;

import java.jprof.ParkNatives;
import java.util.concurrent.locks.AbstractOwnableSynchronizer;
import java.util.concurrent.locks.LockSupport;

/**
 * The methods that probes in LockSupport call, and VirtualProbes for sleeps of virtual threads. An
 * object of the class stands for a thread that is parked or sleeps.
 *
 * <p>The class belongs to the boot loader. It is in a package of java.base because ThreadFields is
 * in that package. A thread that has a permit does not wait when it parks; the probe then only
 * reads the permit. Nothing here parks or takes a monitor, and no native method is on the stack
 * while a thread is parked. So virtual threads are unmounted as they would be without probes.
 *
 * <p>Waits are recorded for two purposes, each of which has a flag. For {@code lock}, the agent
 * counts every park at its end. For {@code wall}, the agent samples the elapsed time of virtual
 * threads that have no carrier: at the end of a park or sleep, and at the end of each chunk.
 */
public final class ParkProbes {
    /**
     * Marks a park without a timeout. This constant and the flags below have their values from
     * lock_sampling.h.
     */
    private static final long NO_TIMEOUT = Long.MIN_VALUE;

    private static final int UNFINISHED = 2;

    /** The number of places with a mark in common (wait_marks.h). */
    static final int GROUP = 64;

    private static final int DEADLINE = 4;

    /** A value of `counted`: no further sample is taken of the wait. */
    private static final long TAKEN = Long.MAX_VALUE;

    /** The number of threads whose stacks the agent asks for at a time. */
    private static final int BATCH = 64;

    // The waits that sampleWaiting() samples together. Only one thread calls it at a time.
    private static ParkProbes[] sampled;
    private static Thread[] threads;
    private static int[] places;

    /** Marks the sleep of a virtual thread, which belongs to no lock. */
    private static final int SLEEP = 64;

    /** The parked threads; null while no waits are recorded. */
    static volatile ParkTable parks;

    /** The time of the last open(). */
    private static volatile long opened;

    /** True while {@code lock} is recorded. */
    private static volatile boolean countsParks;

    /** True while sleeps are held, too. */
    private static volatile boolean holdsSleeps;

    /** True if no samples for {@code wall} are taken of threads that keep their carriers. */
    private static volatile boolean leavesPinned;

    /** The interval of {@code wall} in nanoseconds; 0 while {@code wall} is not recorded. */
    private static volatile long wallInterval;

    /** The time from which on waits count for {@code wall}. */
    private static volatile long wallOpened;

    /**
     * The address of the state of the windows (sample_window.h); 0 if the recording is not limited
     * to windows.
     */
    private static long windowState;

    /** The offset of the field `counted`. */
    private static long countedOffset;

    /** 2^64 divided by the golden ratio, an odd number without a pattern. */
    private static final long SPREAD = 0x9E3779B97F4A7C15L;

    /** The time from which on each wait is sampled, in nanoseconds. */
    private static long interval;

    /** The address of the marks of the groups of places. */
    private static long marks;

    /** The address of a clock that costs little to read: the time of the looker's last tick. */
    private static long ticks;

    /** The share of the draws for which the waker reads the clock even after a short wait. */
    private static final double EXACT = 1.0 / 16;

    final Thread thread;
    final Object blocker;
    private final long timeout;
    private final int flags;
    private final long owner;
    final long start;

    /**
     * For {@code wall}: the time up to which samples stand for the wait. In a recording that is
     * limited to windows: the time in windows at the start of the wait. TAKEN if no further sample
     * is taken of the wait. ThreadFields changes the value.
     */
    private volatile long counted;

    /** Set by the thread itself if it keeps its carrier, whose samples then stand for the wait. */
    private volatile boolean isPinned;

    /** Set by the waker before it unparks the thread. */
    private Thread waker;

    private long wakerStack;

    /** The number of times that ParkHolders.look() has reported the park. */
    int tries;

    /** The signed id of the thread that held the lock when its stack was taken. */
    long holder;

    /** The stack of the holder; 0 if unknown. Written after {@code holder}. */
    volatile long holderStack;

    private ParkProbes(Thread thread, Object blocker, long timeout, int flags, long owner) {
        this.thread = thread;
        this.blocker = blocker;
        this.timeout = timeout;
        this.flags = flags;
        this.owner = owner;
        this.start = System.nanoTime();
        this.counted = windowState == 0 ? start : timeInWindows(start);
    }

    // ---- probes

    public static long entry(int flags) {
        return begin(null, NO_TIMEOUT, flags);
    }

    public static long entry(long timeout, int flags) {
        return begin(null, timeout, flags);
    }

    public static long entry(Object blocker, int flags) {
        return begin(blocker, NO_TIMEOUT, flags);
    }

    public static long entry(Object blocker, long timeout, int flags) {
        return begin(blocker, timeout, flags);
    }

    public static void exit(int flags, long token) {
        end(token, 0);
    }

    public static void exception(Throwable thrown, int flags, long token) {
        end(token, 0);
    }

    /** Called before {@code target} is unparked. */
    public static long unparked(Thread target, int flags) {
        ParkTable all = parks;
        if (all == null || target == null || !countsParks) return 0;
        try {
            int place = all.find(target);
            ParkProbes park = place < 0 ? null : all.at(place);
            // Another thread might have got the place since find() read it.
            if (park != null && park.thread == target && park.waker == null) {
                park.waker = Thread.currentThread();
                if (isSampled(target, Math.max(park.start, opened))) {
                    park.wakerStack = ParkNatives.stackOfWaker();
                }
            }
        } catch (VirtualMachineError error) {
            return 0;
        }
        return 0;
    }

    /**
     * Called when a virtual thread, the calling thread, begins to sleep. Returns the negated time
     * if there is no room to hold the sleep, else 0.
     */
    static long sleeps() {
        return holdsSleeps ? Math.min(begin(null, NO_TIMEOUT, SLEEP), 0) : 0;
    }

    /**
     * Called when the sleep of the calling thread ends. {@code since} is the time at which it
     * began, perhaps negated; 0 if that is unknown.
     */
    static void wakes(long since) {
        ParkTable all = parks;
        if (all == null || !holdsSleeps) return;
        int place = all.find(Thread.currentThread());
        end(place >= 0 ? place + 1 : -Math.abs(since), SLEEP);
    }

    /** Called when the calling thread, a virtual thread, keeps its carrier while it is parked. */
    static void staysMounted() {
        ParkTable all = parks;
        if (all == null || !leavesPinned) return;
        int place = all.find(Thread.currentThread());
        ParkProbes park = place < 0 ? null : all.at(place);
        if (park != null) park.isPinned = true;
    }

    // Returns the token for end(). The token is the place plus 1, or the negated start time if the
    // bucket is full. Returns 0 if end() has nothing to do, for one of three reasons: the thread
    // has a permit, the park is called by another park method, or no waits are recorded. Catches
    // the errors that the JVM throws when stack or memory is used up, because they must not reach
    // the caller of the park method.
    private static long begin(Object blocker, long timeout, int flags) {
        ParkTable all = parks;
        if (all == null) return 0;
        try {
            Thread thread = Thread.currentThread();
            boolean counts = countsParks;
            if (!counts && !ThreadFields.isUnmountable(thread)) return 0;
            if (flags != SLEEP && ThreadFields.hasPermit(thread)) return 0;
            int known = all.find(thread);
            if (known >= 0) {
                if (flags == DEADLINE) return 0; // a parkUntil that another parkUntil calls
                all.remove(known, all.at(known)); // left over: end() of a park found no memory
            }
            Object object = null;
            long owner = 0;
            if (flags != SLEEP) object = blocker != null ? blocker : LockSupport.getBlocker(thread);
            if (counts && object instanceof AbstractOwnableSynchronizer) {
                owner = ThreadFields.ownerOf((AbstractOwnableSynchronizer) object);
            }
            ParkProbes park = new ParkProbes(thread, object, timeout, flags, owner);
            int place = all.insert(park);
            if (place >= 0 && place < ParkTable.PLACES && counts && park.hasOwner()) {
                ThreadFields.setMark(marks + place / GROUP);
            }
            if (place >= 0) return place + 1;
            return -park.start;
        } catch (VirtualMachineError error) {
            return 0;
        }
    }

    /** Returns true if the thread waits for a lock that another thread owns. */
    boolean hasOwner() {
        return owner != 0 || blocker != null && ThreadFields.isExclusive(blocker);
    }

    /**
     * Returns a number from 0 to 1 that is random, and always the same for one wait. The wait is
     * sampled if it is longer than this share of the interval.
     */
    private static double drawOf(Thread thread, long start) {
        long mixed = (start ^ ThreadFields.idOf(thread) << 32) * SPREAD;
        mixed = (mixed ^ mixed >>> 32) * SPREAD;
        return ((mixed ^ mixed >>> 29) >>> 11) * 0x1p-53;
    }

    /**
     * Returns true if the wait of {@code target}, which ends now, will be sampled. Reads the clock
     * only after a tick of the looker, or if the draw is in favour of short waits: most waits are
     * so short that no tick comes, and reading the clock would be most of the cost of this method.
     * So some waits between a sixteenth of the interval and a tick are not recognized.
     */
    private static boolean isSampled(Thread target, long start) {
        double draw = drawOf(target, start);
        if (draw > EXACT && ThreadFields.readClock(ticks) <= start) return false;
        return draw * interval < System.nanoTime() - start;
    }

    // `flags` is SLEEP for a sleep, else 0.
    private static void end(long token, int flags) {
        ParkTable all = parks;
        if (token == 0 || all == null) return;
        long now = System.nanoTime();
        try {
            Thread thread = Thread.currentThread();
            int place = (int) token - 1;
            ParkProbes park = token < 0 ? null : all.at(place);
            // If the token is from an earlier recording, the place is free or belongs to another
            // thread. The wait then counts from the start of this recording.
            if (park != null && park.thread != thread) park = null;
            if (park != null && !all.remove(place, park)) return;
            long start = park != null ? park.start : -token;
            if (countsParks && flags != SLEEP) endPark(thread, park, Math.max(start, opened), now);
            if (wallInterval != 0) endWall(thread, park, start, now, flags);
        } catch (VirtualMachineError error) {
            return;
        }
    }

    // Counts the park for `lock`. The two functions of the agent see three frames of ours on the
    // stack, so they are called in this method alone.
    private static void endPark(Thread thread, ParkProbes park, long start, long now) {
        long weight = ParkNatives.count(ThreadFields.signedIdOf(thread), now - start,
                drawOf(thread, start), false);
        if (weight == 0) return;
        if (park == null) {
            ParkNatives.ended(thread, null, start, now - start, NO_TIMEOUT, 0, 0, null, weight,
                    0, 0, 0);
        } else {
            long stack = park.holderStack;
            ParkNatives.ended(thread, park.blocker, start, now - start, park.timeout, park.flags,
                    park.owner, park.waker, weight, park.holder, stack, park.wakerStack);
        }
    }

    // Samples the wait for `wall`, if a tick of `wall` falls into the time for which no sample
    // stands yet. A wait that found no place is sampled here alone.
    private static void endWall(
            Thread thread, ParkProbes park, long start, long now, int flags) {
        if (!ThreadFields.isUnmountable(thread)) return;
        if (park == null) {
            long from = Math.max(start, wallOpened);
            if (!hasTick(from, now)) return;
            ParkNatives.waited(thread, null, from, now, Long.MAX_VALUE, flags);
            return;
        }
        if (park.isPinned || !hasTick(park.firstUncounted(park.counted), now)) return;
        // From here on, sampleWaiting() leaves the wait alone.
        long counted = ThreadFields.takeLong(park, countedOffset, TAKEN);
        long from = park.firstUncounted(counted);
        if (counted == TAKEN || !hasTick(from, now)) return;
        ParkNatives.waited(thread, park.blocker, from, now, counted, park.flags);
    }

    // Returns how long windows have been open up to `now`.
    private static long timeInWindows(long now) {
        long state = ThreadFields.longAt(windowState);
        return (state & 1) != 0 ? state >> 2 : now - (state >> 2);
    }

    // Returns the time from which on no sample stands for the wait.
    private long firstUncounted(long counted) {
        return Math.max(windowState == 0 ? counted : start, wallOpened);
    }

    private static boolean hasTick(long from, long to) {
        long interval = wallInterval;
        return interval != 0 && from < to && from / interval != to / interval;
    }

    // ---- for the agent, by JNI

    /**
     * Records parks from now on. {@code parker} and {@code counter} are passed to
     * ThreadFields.open. {@code every} is the interval of {@code lock}. {@code marked} is the
     * address of a mark for each group of places, and {@code clock} that of the time of the looker's
     * last tick; this memory is never freed. {@code counts} is true if parks are counted for
     * {@code lock}. {@code sleeps} is true if sleeps are held as well. If {@code pinned} is false,
     * {@code wall} leaves out threads that keep their carriers. {@code windows} is the address of
     * the state of the windows; 0 if the recording is not limited to windows.
     */
    private static void open(long parker, long counter, long every, long marked, long clock,
            boolean counts, boolean sleeps, boolean pinned, long windows) {
        ThreadFields.open(parker, counter);
        interval = every;
        marks = marked;
        ticks = clock;
        sampled = new ParkProbes[BATCH];
        threads = new Thread[BATCH];
        places = new int[BATCH];
        countedOffset = ThreadFields.offsetOf(ParkProbes.class, "counted");
        windowState = windows;
        opened = System.nanoTime();
        ParkTable empty = new ParkTable(sleeps);
        countsParks = counts;
        holdsSleeps = sleeps;
        leavesPinned = !pinned;
        parks = empty;
    }

    /** Samples waits of virtual threads for {@code wall} from now on. */
    private static void openWall(long interval) {
        wallOpened = System.nanoTime();
        wallInterval = interval;
    }

    /**
     * Samples the time of the waits that go on, up to now. Called at the end of a chunk and at the
     * stop. Allocates nothing. The samples of a recording that is limited to windows are taken at
     * the end of each wait and at the stop alone.
     */
    private static void sampleWaiting(boolean isStop) {
        ParkTable all = parks;
        if (all == null || wallInterval == 0 || (windowState != 0 && !isStop)) return;
        long now = System.nanoTime();
        int found = 0;
        for (int place = 0; place < all.size(); ++place) {
            ParkProbes park = all.at(place);
            if (park == null || park.isPinned || !ThreadFields.isUnmountable(park.thread)) continue;
            long counted = park.counted;
            if (counted == TAKEN || !hasTick(park.firstUncounted(counted), now)) continue;
            sampled[found] = park;
            threads[found] = park.thread;
            places[found] = place;
            if (++found < BATCH) continue;
            sampleBatch(all, found, now, isStop);
            found = 0;
        }
        sampleBatch(all, found, now, isStop);
        if (isStop) wallInterval = 0;
    }

    // Samples the first `count` waits in sampled. A stack is that of the wait only if the wait has
    // not ended when the agent has the stack.
    private static void sampleBatch(ParkTable all, int count, long now,
            boolean isStop) {
        if (count != 0) ParkNatives.stacksOf(threads, count);
        for (int i = 0; i < count; ++i) {
            ParkProbes park = sampled[i];
            sampled[i] = null;
            threads[i] = null;
            long counted = park.counted;
            long from = park.firstUncounted(counted);
            if (all.at(places[i]) != park || counted == TAKEN || !hasTick(from, now)) continue;
            long next = isStop ? TAKEN : now;
            if (!ThreadFields.replaceLong(park, countedOffset, counted, next)) continue;
            ParkNatives.waitsOn(i, park.thread, park.blocker, from, now, counted, park.flags);
        }
    }

    /**
     * Records the parks that go on. From now on, probes that are still in the code do nothing.
     * Allocates nothing, because at the end of the JVM the garbage collector might have stopped
     * already.
     */
    private static void close() {
        ParkTable all = parks;
        parks = null;
        holdsSleeps = false;
        wallInterval = 0;
        if (all != null && countsParks) closeParks(all);
    }

    private static void closeParks(ParkTable all) {
        long now = System.nanoTime();
        for (int place = 0; place < all.size(); ++place) {
            ParkProbes park = all.at(place);
            if (park == null || !all.remove(place, park)) continue;
            if (park.flags == SLEEP) continue;
            long waited = now - park.start;
            long weight = ParkNatives.count(ThreadFields.signedIdOf(park.thread), waited,
                    drawOf(park.thread, park.start), true);
            if (weight == 0) continue;
            long stack = park.holderStack;
            ParkNatives.ended(park.thread, park.blocker, park.start, waited, park.timeout,
                    park.flags | UNFINISHED, park.owner, park.waker, weight, park.holder, stack, 0);
        }
    }

    /** Returns true if a probe has seen the thread park, and no probe has seen that park end. */
    static boolean isParked(Thread thread) {
        ParkTable all = parks;
        return all != null && all.find(thread) >= 0;
    }
}
