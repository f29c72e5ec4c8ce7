package jprof;

import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The trace context of the calling thread: the span that it works for, and tags. Samples that jprof
 * takes of the thread carry it, in recordings with {@code context=1}; readers outside of the
 * process see it as the thread context of OpenTelemetry.
 *
 * <p>A context belongs to the thread, platform or virtual, that sets it, until that thread changes
 * or clears it, or ends. No method may be called for another thread; none takes a lock, blocks or
 * throws, but for {@link #putTag} without a name. After a thread's first call nothing is allocated,
 * except by {@link #save} and the {@code open} methods.
 *
 * <p>Until a recording with {@code context=1} has been started in this JVM, every method is a
 * no-op: what is set before is not known later. From then on contexts are kept to the end of the
 * JVM, also between recordings.
 */
public final class ThreadContext {
    /** Restores, when it is closed, the context that the thread had when the scope was made. */
    public static final class Scope implements AutoCloseable {
        private final Thread maker = Thread.currentThread();
        private final byte[] saved;
        /** Of a span that will be recorded: its begin and its ids; {@code null}: none will. */
        private long[] span;
        private boolean isClosed;

        Scope(byte[] saved) {
            this.saved = saved;
        }

        /**
         * Once, on the thread that made the scope; again, or on another thread, it does nothing.
         * Scopes are closed in the reverse order of their making. A scope made before contexts were
         * kept clears the context.
         */
        @Override
        public void close() {
            if (isClosed || Thread.currentThread() != maker) return;
            isClosed = true;
            ByteBuffer[] memory = active ? memory(false) : null;
            if (memory == null) return;
            if (span != null) end(memory);
            RecordWriter.restore(memory, saved);
        }

        // Before the span's ids are put.
        private void begin(ByteBuffer[] memory, long traceHigh, long traceLow, long id, int flags,
                long root) {
            if (id == 0 || !RecordWriter.recordsSpans(memory)) return;
            if (RecordWriter.span(memory) == id) return;  // a scope within the span
            span = new long[] {System.nanoTime(), traceHigh, traceLow, id, flags, root};
        }

        // The event has the context of this moment: that of the span, whatever was put since.
        private void end(ByteBuffer[] memory) {
            if (RecordWriter.span(memory) != span[3])
                RecordWriter.put(memory, span[1], span[2], span[3], (int) span[4], span[5]);
            ThreadContext.end(RecordWriter.virtualThread(memory), span[0]);
        }
    }

    /**
     * Block, slot, what all threads have in common: classes of the JDK, so that no thread keeps this
     * class alive. The agent knows them as well: pools erase the thread-local variables of their
     * threads between tasks, and the context stays. A number: the thread had no memory when memory
     * had been wanted so often.
     */
    private static final ThreadLocal<Object> MEMORY = new ThreadLocal<Object>();

    /** What all threads have in common; {@code null}: no thread has got memory of this agent. */
    private static volatile ByteBuffer common;

    private static final Map<String, Integer> KEYS = new ConcurrentHashMap<String, Integer>();
    private static final Method IS_VIRTUAL = isVirtual();

    /** Set once, by the agent or by the initializer. */
    private static boolean active;

    static {
        try {
            active = connect() && BufferWriter.isUsable();
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
        ByteBuffer[] memory = memory(true);
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
        ByteBuffer[] memory = memory(true);
        if (memory != null)
            RecordWriter.put(memory, traceIdHigh, traceIdLow, spanId, flags, rootSpanId);
    }

    /**
     * Gives the context a tag, or changes it. Recordings have the tags that their option {@code
     * attributes} names. At most 255 names in a JVM; of a value at most 255 bytes of UTF-8, the
     * rest is cut; of all tags of a context at most 594 bytes, 2 a tag included.
     *
     * @param value {@code null} removes the tag
     * @throws NullPointerException the name is {@code null}, whether contexts are kept or not
     * @return whether the context is now as asked; false: one of the limits, or a no-op
     */
    public static boolean putTag(String name, String value) {
        if (name == null) throw new NullPointerException("the name of a tag is null");
        if (!active) return false;
        int key = key(name);
        if (key < 0) return false;
        ByteBuffer[] memory = memory(true);
        if (memory == null) return false;
        return RecordWriter.putTag(memory, key, value)
                || grow(memory) && RecordWriter.putTag(memory, key, value);
    }

    /** The thread works for no span, and has no tags. */
    public static void clear() {
        if (!active) return;
        ByteBuffer[] memory = memory(false);
        if (memory != null) RecordWriter.clear(memory);
    }

    /** The context of now, to be restored. */
    public static Scope save() {
        return save(active ? memory(true) : null);
    }

    /**
     * {@link #save}, then {@link #put(long, long)}. In recordings with {@code spans=1} the scope is
     * the span: closing it writes an event, unless the thread worked for this span before.
     */
    public static Scope open(long spanId, long rootSpanId) {
        return open(0, 0, spanId, 0, rootSpanId);
    }

    /** As above, by {@link #put(long, long, long, int, long)}. */
    public static Scope open(
            long traceIdHigh, long traceIdLow, long spanId, int flags, long rootSpanId) {
        ByteBuffer[] memory = active ? memory(true) : null;
        Scope scope = save(memory);
        if (memory == null) return scope;
        scope.begin(memory, traceIdHigh, traceIdLow, spanId, flags, rootSpanId);
        RecordWriter.put(memory, traceIdHigh, traceIdLow, spanId, flags, rootSpanId);
        return scope;
    }

    /** Whether contexts are kept: otherwise every method is a no-op. */
    public static boolean isActive() {
        return active;
    }

    private static Scope save(ByteBuffer[] memory) {
        return new Scope(memory == null ? null : RecordWriter.save(memory));
    }

    /** {@code null}: the thread has none, and {@code isMade} is false or there is no more. */
    private static ByteBuffer[] memory(boolean isMade) {
        Object value = MEMORY.get();
        if (value instanceof ByteBuffer[]) return (ByteBuffer[]) value;
        AtomicLong absent = (AtomicLong) value;
        ByteBuffer shared = common;
        boolean isAbsent = absent != null && !isMade && shared != null
                && absent.get() == RecordWriter.wanted(shared);
        return isAbsent ? null : knownMemory(absent, isMade);
    }

    private static ByteBuffer[] knownMemory(AtomicLong absent, boolean isMade) {
        Thread thread = Thread.currentThread();
        ByteBuffer shared = common;
        long wanted = shared == null ? 0 : RecordWriter.wanted(shared);
        ByteBuffer[] memory = buffers(isVirtual(thread) ? id(thread) : 0, isMade);
        if (memory == null) {
            if (absent != null) absent.lazySet(wanted);
            if (absent == null && shared != null) MEMORY.set(new AtomicLong(wanted));
            return null;
        }
        for (ByteBuffer each : memory) each.order(ByteOrder.nativeOrder());
        MEMORY.set(memory);
        if (RecordWriter.saysWhatIsWanted(memory)) common = memory[RecordWriter.COMMON];
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

    // Perhaps of another copy of the library than before.
    private static void activate() {
        common = null;
        active = BufferWriter.isUsable();
    }

    // ---- bound by the agent (src/engines/context/context_class.h), which knows the class by them

    private static native boolean connect();

    /** Those of the calling thread, perhaps made; {@code null}: none, or no memory. */
    private static native ByteBuffer[] buffers(long virtualId, boolean areMade);

    /** A larger block, if the calling thread has a small one. False: nothing has changed. */
    private static native boolean grow(ByteBuffer[] memory, long virtualId);

    /** The calling thread has published a record, or none. */
    static native void show(long virtualId);

    /** The span of the context ends now. */
    private static native void end(long virtualId, long beginNanos);

    /** The key of a tag; -1: there are too many names. */
    private static native int tag(String name);
}
