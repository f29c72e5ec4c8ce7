package jdk.internal.misc;

import java.jprof.ParkNatives;
import java.util.concurrent.locks.AbstractOwnableSynchronizer;

/**
 * Finds the threads that hold the locks for which other threads are parked. All methods are called
 * by the agent's thread that looks at waits (holder_looks.h), by JNI.
 */
final class ParkHolders {
    /** The largest number of times that the age at which a park is looked at is doubled. */
    private static final int MOST_TRIES = 16;

    private ParkHolders() {}

    /**
     * Calls ParkNatives.held for the parks of a group of the first places that have begun at least
     * {@code age} nanoseconds before {@code now}, and whose lock another thread holds. A park that
     * is called again is called at twice its age. Allocates nothing. Returns true if the group has
     * parks whose holder's stack is unknown.
     */
    private static boolean look(int group, long now, long age) {
        ParkTable all = ParkProbes.parks;
        boolean isAwaited = false;
        if (all == null) return false;
        for (int place = group * ParkProbes.GROUP; place < (group + 1) * ParkProbes.GROUP; ++place) {
            ParkProbes park = all.at(place);
            if (park == null || park.holderStack != 0 || !park.hasOwner()) continue;
            isAwaited = true;
            if (now - park.start < age << park.tries) continue;
            if (park.tries < MOST_TRIES) ++park.tries;
            Thread owner = ThreadFields.ownerThreadOf((AbstractOwnableSynchronizer) park.blocker);
            if (owner == null || owner == park.thread) continue;
            ParkNatives.held(place, park.start, ThreadFields.signedIdOf(owner),
                    ThreadFields.runnerOf(owner));
        }
        return isAwaited;
    }

    /**
     * Stores the stack of the holder, unless the park that began at {@code start} has ended or the
     * lock has another owner now. Returns true if the stack is stored.
     */
    private static boolean store(int place, long start, long holder, long stack) {
        ParkTable all = ParkProbes.parks;
        ParkProbes park = all == null ? null : all.at(place);
        if (park == null || park.start != start || park.holderStack != 0) return false;
        if (ThreadFields.ownerOf((AbstractOwnableSynchronizer) park.blocker) != holder) {
            park.tries = 0; // look() reports the park with its new holder at once
            return false;
        }
        park.holder = holder;
        park.holderStack = stack;
        return true;
    }

    /** Calls ParkNatives.stored for each stack of a holder whose park goes on. */
    private static void keep() {
        ParkTable all = ParkProbes.parks;
        if (all == null) return;
        for (int place = 0; place < ParkTable.PLACES; ++place) {
            ParkProbes park = all.at(place);
            long stack = park == null ? 0 : park.holderStack;
            if (stack != 0) ParkNatives.stored(stack);
        }
    }
}
