package jprof;

import java.lang.ref.PhantomReference;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The trace context of the calling thread: the span that it works for, and tags. Samples that jprof
 * takes of the thread carry it, in recordings with {@code context=1}; readers outside of the
 * process see it as the thread context of OpenTelemetry.
 *
 * <p>A context belongs to the thread, platform or virtual, that sets it, until that thread changes
 * or clears it, or ends. No method may be called for another thread; none takes a lock, blocks or
 * throws. After a thread's first call nothing is allocated, except by {@link #save} and the {@code
 * open} methods.
 *
 * <p>Until a recording with {@code context=1} has been started in this JVM, every method is a
 * no-op: what is set before is not known later. From then on contexts are kept to the end of the
 * JVM, also between recordings.
 */
public final class ThreadContext {
    /** Restores, when it is closed, the context that the thread had when the scope was made. */
    public static final class Scope implements AutoCloseable {
        private final ByteBuffer[] memory;
        private final byte[] saved;
        /** Of a span that will be recorded: its begin and its ids; {@code null}: none will. */
        private long[] span;

        private Scope(ByteBuffer[] memory, byte[] saved) {
            this.memory = memory;
            this.saved = saved;
        }

        /**
         * On the thread that made the scope; elsewhere it does nothing. Scopes are closed in the
         * reverse order of their making. A scope made before contexts were kept clears the context.
         */
        @Override
        public void close() {
            if (!active) return;
            ByteBuffer[] current = MEMORY.get();
            if (current == null) return;
            if (memory == null) {
                RecordWriter.clear(current);
            } else if (memory == current) {
                if (span != null) end();
                RecordWriter.restore(current, saved);
            }
        }

        // Before the span's ids are put.
        private void begin(long traceHigh, long traceLow, long id, int flags, long root) {
            if (memory == null || id == 0 || !RecordWriter.recordsSpans(memory)) return;
            if (RecordWriter.span(memory) == id) return;  // a scope within the span
            span = new long[] {System.nanoTime(), traceHigh, traceLow, id, flags, root};
        }

        // The event has the context of this moment: that of the span, whatever was put since.
        private void end() {
            long[] ended = span;
            span = null;
            if (RecordWriter.span(memory) != ended[3])
                RecordWriter.put(memory, ended[1], ended[2], ended[3], (int) ended[4], ended[5]);
            ThreadContext.end(RecordWriter.virtualThread(memory), ended[0]);
        }
    }

    /**
     * The memory of a virtual thread's records; freed when nobody can reach the thread any more.
     */
    private static final class VirtualMemory extends PhantomReference<Thread> {
        private final long id;

        VirtualMemory(Thread thread, long id) {
            super(thread, DEAD);
            this.id = id;
        }
    }

    private static final ReferenceQueue<Thread> DEAD = new ReferenceQueue<Thread>();
    private static final Set<VirtualMemory> VIRTUAL =
            Collections.newSetFromMap(new ConcurrentHashMap<VirtualMemory, Boolean>());
    /** Block, slot, whether spans are recorded: classes of the JDK, so that no thread keeps this class alive. */
    private static final ThreadLocal<ByteBuffer[]> MEMORY = new ThreadLocal<ByteBuffer[]>();
    private static final Map<String, Integer> KEYS = new ConcurrentHashMap<String, Integer>();
    private static final Method IS_VIRTUAL = isVirtual();

    /** Set once, by the agent or by the initializer. */
    private static boolean active;

    static {
        try {
            active = connect();
        } catch (UnsatisfiedLinkError error) {
            active = false;  // no agent that keeps contexts; it calls activate() when it comes
        }
    }

    private ThreadContext() {}

    /**
     * The thread works for this span of 64-bit ids. Tags stay.
     *
     * @param spanId 0: none
     * @param rootSpanId the first span of the request in this process; 0: none
     */
    public static void put(long spanId, long rootSpanId) {
        if (!active) return;
        ByteBuffer[] memory = memory();
        if (memory != null) RecordWriter.put(memory, 0, 0, spanId, 0, rootSpanId);
    }

    /**
     * The thread works for this span, with the ids of W3C Trace Context. Tags stay.
     *
     * @param traceIdHigh the first 8 bytes of the trace id
     * @param traceIdLow the last 8 bytes
     * @param flags the trace flags: 1 sampled
     */
    public static void put(long traceIdHigh, long traceIdLow, long spanId, int flags) {
        put(traceIdHigh, traceIdLow, spanId, flags, 0);
    }

    /** As above, with the first span of the request in this process; 0: none. */
    public static void put(
            long traceIdHigh, long traceIdLow, long spanId, int flags, long rootSpanId) {
        if (!active) return;
        ByteBuffer[] memory = memory();
        if (memory != null)
            RecordWriter.put(memory, traceIdHigh, traceIdLow, spanId, flags, rootSpanId);
    }

    /**
     * Gives the context a tag, or changes it. Recordings have the tags that their option {@code
     * attributes} names. At most 255 names in a JVM; of a value at most 255 bytes of UTF-8, the
     * rest is cut; of all tags of a context at most 594 bytes, 2 a tag included.
     *
     * @param value {@code null} removes the tag
     * @return whether the context is now as asked; false: one of the limits, or a no-op
     */
    public static boolean putTag(String name, String value) {
        if (!active) return false;
        int key = key(name);
        if (key < 0) return false;
        ByteBuffer[] memory = memory();
        if (memory == null) return false;
        return RecordWriter.putTag(memory, key, value)
                || grow(memory) && RecordWriter.putTag(memory, key, value);
    }

    /** The thread works for no span, and has no tags. */
    public static void clear() {
        if (!active) return;
        ByteBuffer[] memory = MEMORY.get();
        if (memory != null) RecordWriter.clear(memory);
    }

    /** The context of now, to be restored. */
    public static Scope save() {
        ByteBuffer[] memory = active ? memory() : null;
        return new Scope(memory, memory == null ? null : RecordWriter.save(memory));
    }

    /**
     * {@link #save}, then {@link #put(long, long)}. In recordings with {@code spans=1} the scope is
     * the span: closing it writes an event, unless the thread worked for this span before.
     */
    public static Scope open(long spanId, long rootSpanId) {
        Scope scope = save();
        scope.begin(0, 0, spanId, 0, rootSpanId);
        put(spanId, rootSpanId);
        return scope;
    }

    /** As above, by {@link #put(long, long, long, int, long)}. */
    public static Scope open(
            long traceIdHigh, long traceIdLow, long spanId, int flags, long rootSpanId) {
        Scope scope = save();
        scope.begin(traceIdHigh, traceIdLow, spanId, flags, rootSpanId);
        put(traceIdHigh, traceIdLow, spanId, flags, rootSpanId);
        return scope;
    }

    /** Whether contexts are kept: otherwise every method is a no-op. */
    public static boolean isActive() {
        return active;
    }

    private static ByteBuffer[] memory() {
        ByteBuffer[] memory = MEMORY.get();
        return memory != null ? memory : newMemory();
    }

    private static ByteBuffer[] newMemory() {
        for (Reference<? extends Thread> dead = DEAD.poll(); dead != null; dead = DEAD.poll()) {
            VirtualMemory unused = (VirtualMemory) dead;
            if (VIRTUAL.remove(unused)) release(unused.id);
        }
        Thread thread = Thread.currentThread();
        long virtualId = isVirtual(thread) ? id(thread) : 0;
        ByteBuffer[] memory = new ByteBuffer[3];
        if (!attach(memory, virtualId)) return null;
        if (virtualId != 0) VIRTUAL.add(new VirtualMemory(thread, virtualId));
        for (ByteBuffer each : memory) each.order(ByteOrder.nativeOrder());
        MEMORY.set(memory);
        return memory;
    }

    /** Whether the memory, which was that of a virtual thread without long tags, is larger now. */
    private static boolean grow(ByteBuffer[] memory) {
        long virtualId = RecordWriter.virtualThread(memory);
        if (virtualId == 0 || !grow(memory, virtualId)) return false;
        for (ByteBuffer each : memory) each.order(ByteOrder.nativeOrder());
        return true;
    }

    private static int key(String name) {
        Integer known = KEYS.get(name);
        if (known != null) return known;
        int key = tag(name);
        if (key >= 0) KEYS.put(name, key);
        return key;
    }

    private static Method isVirtual() {
        try {
            return Thread.class.getMethod("isVirtual");
        } catch (NoSuchMethodException exception) {
            return null;
        }
    }

    private static boolean isVirtual(Thread thread) {
        try {
            return IS_VIRTUAL != null && (Boolean) IS_VIRTUAL.invoke(thread);
        } catch (ReflectiveOperationException exception) {
            return false;
        }
    }

    @SuppressWarnings("deprecation")
    private static long id(Thread thread) {
        return thread.getId();
    }

    // ---- called by the agent, by JNI

    private static void activate() {
        active = true;
    }

    // ---- bound by the agent (src/context/context_class.h)

    private static native boolean connect();

    /** Sets the block of the calling thread, and its slot. False: no memory. */
    private static native boolean attach(ByteBuffer[] memory, long virtualId);

    /** A larger block, if the calling thread has a small one. False: nothing has changed. */
    private static native boolean grow(ByteBuffer[] memory, long virtualId);

    private static native void release(long virtualId);

    /** The calling thread has published a record, or none. */
    static native void show(long virtualId);

    /** The span of the context ends now. */
    private static native void end(long virtualId, long beginNanos);

    /** The key of a tag; -1: there are too many names. */
    private static native int tag(String name);
}
