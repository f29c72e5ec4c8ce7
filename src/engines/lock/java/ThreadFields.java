package jdk.internal.misc;

import java.util.concurrent.locks.AbstractOwnableSynchronizer;

// On JDK 8 the class is sun.misc.Unsafe: cmake/BootClass.cmake.
import jdk.internal.misc.Unsafe;

/**
 * Reads fields of threads and locks. Calls neither the JVM nor methods that the program can
 * override.
 *
 * <p>The class is in this package because classes of java.base may use the JDK's own Unsafe.
 */
final class ThreadFields {
    private static final long NONE = -1;

    // open() sets the fields below. A static initializer does not set them: if it failed because
    // memory is short, the class would be unusable until the JVM ends.

    private static boolean isRead;

    private static Unsafe unsafe;

    /**
     * True if Unsafe has getReferenceVolatile (from JDK 12 on); false if it has getObjectVolatile.
     */
    private static boolean hasReferences;

    /**
     * The class of virtual threads that have a permit of their own; null if this JDK has no such
     * class.
     */
    private static Class<?> virtual;

    /**
     * The class of all virtual threads, including those that are bound to a kernel thread, as in
     * JVMs without continuations; null if this JDK has no virtual threads.
     */
    private static Class<?> anyVirtual;

    private static long id;
    private static long vmThread;
    private static long virtualPermit;
    private static long virtualContinuation;
    private static long mounted;
    private static long owner;

    /** VirtualThread.carrierThread: the platform thread that runs the virtual thread, or null. */
    private static long carrier = NONE;

    /** ReentrantLock.Sync, which has an owner whenever a thread waits for it; null if unknown. */
    private static Class<?> exclusive;

    /** The offsets that the agent has found (park_permit.h). */
    private static long parkerOffset = NONE;

    private static long counterOffset = NONE;

    private ThreadFields() {}

    /**
     * Called before any other method. {@code parker} and {@code counter} are the offsets in
     * ParkPermit. May be called again if it has failed because memory is short.
     */
    static void open(long parker, long counter) {
        if (!isRead) read();
        parkerOffset = parker;
        counterOffset = counter;
    }

    private static void read() {
        unsafe = Unsafe.getUnsafe();
        hasReferences = hasReferences();
        virtual = classOf("java.lang.VirtualThread");
        anyVirtual = classOf("java.lang.BaseVirtualThread");
        id = offsetOf(Thread.class, "tid");
        vmThread = offsetOf(Thread.class, "eetop");
        virtualPermit = offsetOf(virtual, "parkPermit");
        virtualContinuation = offsetOf(virtual, "cont");
        mounted = offsetOf(classOf("jdk.internal.vm.Continuation"), "mounted");
        owner = offsetOf(AbstractOwnableSynchronizer.class, "exclusiveOwnerThread");
        carrier = offsetOf(virtual, "carrierThread");
        exclusive = classOf("java.util.concurrent.locks.ReentrantLock$Sync");
        isRead = true;
    }

    /**
     * Returns true if {@code thread}, the calling thread, has a permit, so that its next park
     * returns at once. Returns false if the thread has no permit, or if that is unknown.
     */
    static boolean hasPermit(Thread thread) {
        if (thread.getClass() == virtual) {
            return virtualPermit != NONE && unsafe.getBooleanVolatile(thread, virtualPermit);
        }
        long counter = counterOffset;
        if (counter == NONE || vmThread == NONE) return false;
        // The variable `object` is the address of the JavaThread. The address is 0 only before a
        // thread starts and after it has ended, so never for the calling thread. The check costs
        // nothing.
        long object = unsafe.getLong(thread, vmThread);
        if (object != 0 && parkerOffset != NONE) object = unsafe.getLong(object + parkerOffset);
        return object != 0 && unsafe.getInt(object + counter) > 0;
    }

    /**
     * Returns true if {@code thread} is a virtual thread that leaves its carrier when it waits, so
     * that {@code wall} has no samples of it by signals meanwhile.
     */
    static boolean isUnmountable(Thread thread) {
        return thread.getClass() == virtual;
    }

    /** Returns true if {@code thread}, for which isUnmountable() is true, has a carrier. */
    static boolean isMounted(Thread thread) {
        Object continuation = unsafe.getReferenceVolatile(thread, virtualContinuation);
        return continuation != null && unsafe.getBooleanVolatile(continuation, mounted);
    }

    /**
     * Replaces a field of type long by {@code next} if it is {@code known}. {@code offset} is the
     * result of offsetOf. Not on JDK 8.
     */
    static boolean replaceLong(Object object, long offset, long known, long next) {
        return unsafe.compareAndSetLong(object, offset, known, next);
    }

    /** Replaces a field of type long and returns the earlier value. Not on JDK 8. */
    static long takeLong(Object object, long offset, long next) {
        return unsafe.getAndSetLong(object, offset, next);
    }

    static long longAt(long address) {
        return unsafe.getLong(address);
    }

    static long idOf(Thread thread) {
        return unsafe.getLong(thread, id);
    }

    /** Returns the id of the thread, negative for a virtual thread. */
    static long signedIdOf(Thread thread) {
        boolean isVirtual = anyVirtual != null && anyVirtual.isInstance(thread);
        return isVirtual ? -idOf(thread) : idOf(thread);
    }

    /**
     * Returns the id of the thread that owns {@code lock}, negative for a virtual thread; 0 if
     * there is no owner or the owner cannot be read.
     */
    static long ownerOf(AbstractOwnableSynchronizer lock) {
        Thread thread = ownerThreadOf(lock);
        return thread == null ? 0 : signedIdOf(thread);
    }

    /** Returns the thread that owns {@code lock}; null if there is none or it cannot be read. */
    static Thread ownerThreadOf(AbstractOwnableSynchronizer lock) {
        return owner == NONE ? null : (Thread) reference(lock, owner);
    }

    /**
     * Returns the id of the platform thread whose stack has the frames of {@code thread}: that of
     * the carrier for a virtual thread. Returns 0 if a virtual thread is not mounted.
     */
    static long runnerOf(Thread thread) {
        if (anyVirtual == null || !anyVirtual.isInstance(thread)) return idOf(thread);
        if (thread.getClass() != virtual || carrier == NONE) return 0;
        Thread runner = (Thread) reference(thread, carrier);
        return runner == null ? 0 : idOf(runner);
    }

    /** Returns true if {@code lock} is that of a ReentrantLock. */
    static boolean isExclusive(Object lock) {
        return exclusive != null && exclusive.isInstance(lock);
    }

    /** Sets the byte at the address {@code mark} to 1. Seldom writes if it is 1 already. */
    static void setMark(long mark) {
        if (unsafe.getByte(mark) == 0) unsafe.putByte(mark, (byte) 1);
    }

    /** Returns the number at the address {@code clock}. */
    static long readClock(long clock) {
        return unsafe.getLong(clock);
    }

    private static Object reference(Object object, long offset) {
        return hasReferences ? unsafe.getReferenceVolatile(object, offset)
                : unsafe.getObjectVolatile(object, offset);
    }

    private static boolean hasReferences() {
        try {
            Unsafe.class.getMethod("getReferenceVolatile", Object.class, long.class);
            return true;
        } catch (NoSuchMethodException old) {
            return false;
        }
    }

    /**
     * Returns the class without initializing it: some of these classes start threads when they are
     * initialized. Returns null if this JDK does not have the class.
     */
    private static Class<?> classOf(String name) {
        try {
            return Class.forName(name, false, null);
        } catch (ClassNotFoundException none) {
            return null;
        }
    }

    /** Returns the offset of the field; NONE if {@code type} is null or has no such field. */
    static long offsetOf(Class<?> type, String field) {
        if (type == null) return NONE;
        try {
            return unsafe.objectFieldOffset(type.getDeclaredField(field));
        } catch (NoSuchFieldException none) {
            return NONE;
        }
    }
}
