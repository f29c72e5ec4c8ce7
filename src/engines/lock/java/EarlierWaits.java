package jdk.internal.misc;

import java.util.Arrays;

import jdk.internal.vm.ThreadContainer;
import jdk.internal.vm.ThreadContainers;

/**
 * Finds the virtual threads that wait already when the agent begins to record waits. No probe has
 * seen the start of these waits, and none will see their end. From JDK 21 on.
 */
final class EarlierWaits {
    private static Thread[] found;

    private static int count;

    private EarlierWaits() {}

    // ---- for the agent, by JNI

    /**
     * Returns the virtual threads that wait without a carrier, except those whose wait ParkProbes
     * has seen. Returns at most {@code most} threads.
     */
    private static Thread[] list(int most) {
        found = new Thread[1024];
        count = 0;
        add(ThreadContainers.root(), most);
        Thread[] all = Arrays.copyOf(found, count);
        found = null;
        return all;
    }

    /**
     * Stores in {@code ended} the indices of those {@code threads} whose wait has ended. Returns
     * the number of these threads. Leaves out elements that are null.
     */
    private static int check(Thread[] threads, int[] ended) {
        int number = 0;
        for (int i = 0; i < threads.length; ++i) {
            if (threads[i] != null && !waits(threads[i])) ended[number++] = i;
        }
        return number;
    }

    private static void add(ThreadContainer container, int most) {
        for (Object each : container.threads().toArray()) {
            Thread thread = (Thread) each;
            if (count == most) return;
            if (!waits(thread)) continue;
            if (count == found.length) found = Arrays.copyOf(found, 2 * count);
            found[count++] = thread;
        }
        for (Object child : container.children().toArray()) add((ThreadContainer) child, most);
    }

    private static boolean waits(Thread thread) {
        return ThreadFields.isUnmountable(thread) && !ThreadFields.isMounted(thread)
                && thread.isAlive() && !ParkProbes.isParked(thread);
    }
}
