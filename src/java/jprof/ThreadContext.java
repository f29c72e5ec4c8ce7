package jprof;

import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The trace context of the calling thread: the span that it works for, and tags. Samples that jprof
 * takes of the thread carry the context, in recordings with {@code context=1}; readers outside the
 * process see it as the thread context of OpenTelemetry.
 *
 * <p>A context belongs to the thread, platform or virtual, that sets it, until that thread changes
 * or clears it, or ends. Every method acts on the calling thread. No method takes a lock, blocks or
 * throws, except that {@link #putTag} throws without a name. After a thread's first call only
 * {@link #save} and the {@code open} methods allocate memory.
 *
 * <p>Until a recording with {@code context=1} has been started in this JVM, the methods have no
 * effect, and contexts are not kept. From then on contexts are kept until the end of the JVM, also
 * between recordings.
 */
public final class ThreadContext {
    /** A saved context. Closing the scope restores the context that the thread had before. */
    public static final class Scope implements AutoCloseable {
        private final Thread maker = Thread.currentThread();
        private final byte[] saved;
        /** The start and the ids of a span that will be recorded; {@code null} if none will be. */
        private long[] span;
        private boolean isClosed;

        Scope(byte[] saved) {
            this.saved = saved;
        }

        /**
         * Restores the context. Only the first call has an effect, and only on the thread that made
         * the scope. Scopes must be closed in the reverse order of their creation. If the scope was
         * made before contexts were kept, closing it clears the context.
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

        // Notes the start of a span. Called before the span's ids are put.
        private void begin(ByteBuffer[] memory, long traceHigh, long traceLow, long id, int flags,
                long root) {
            if (id == 0 || !RecordWriter.recordsSpans(memory)) return;
            if (RecordWriter.span(memory) == id) return;  // a scope within the span
            span = new long[] {System.nanoTime(), traceHigh, traceLow, id, flags, root};
        }

        // Writes the event of the span. The event gets the current context, so that the ids of the
        // span are put again if others have replaced them.
        private void end(ByteBuffer[] memory) {
            if (RecordWriter.span(memory) != span[3])
                RecordWriter.put(memory, span[1], span[2], span[3], (int) span[4], span[5]);
            ThreadContext.end(RecordWriter.virtualThread(memory), span[0]);
        }
    }

    /**
     * The memory of a thread: its block, its slot and the shared buffer, as an array of ByteBuffer,
     * so that no thread keeps this class alive. If a pool erases the thread-local variables of its
     * threads between tasks, the context stays, because the agent knows the buffers as well. If a
     * thread has no memory, the value is an AtomicLong with the count of RecordWriter.wanted() at
     * the moment when this was found out.
     */
    private static final ThreadLocal<Object> MEMORY = new ThreadLocal<Object>();

    /** The shared buffer; {@code null} if no thread has got memory from this agent yet. */
    private static volatile ByteBuffer common;

    private static final Map<String, Integer> KEYS = new ConcurrentHashMap<String, Integer>();
    private static final Method IS_VIRTUAL = isVirtual();

    /** Set once, by the agent or by the initializer. */
    private static boolean active;

    static {
        try {
            active = connect() && BufferWriter.isUsable();
        } catch (UnsatisfiedLinkError error) {
            active = false;  // no agent keeps contexts yet; a later one calls activate()
        }
    }

    private ThreadContext() {}

    /**
     * Sets the span that the thread works for, by 64-bit ids. The tags stay.
     *
     * @param spanId the id of the span; 0 for none
     * @param rootSpanId the first span of the request in this process; 0 for none
     */
    public static void put(long spanId, long rootSpanId) {
        if (!active) return;
        ByteBuffer[] memory = memory(true);
        if (memory != null) RecordWriter.put(memory, 0, 0, spanId, 0, rootSpanId);
    }

    /**
     * Sets the span that the thread works for, by the ids of W3C Trace Context. The tags stay.
     *
     * @param traceIdHigh the first 8 bytes of the trace id
     * @param traceIdLow the last 8 bytes of the trace id
     * @param flags the trace flags; 1 means sampled
     */
    public static void put(long traceIdHigh, long traceIdLow, long spanId, int flags) {
        put(traceIdHigh, traceIdLow, spanId, flags, 0);
    }

    /**
     * Sets the span that the thread works for, by the ids of W3C Trace Context. The tags stay.
     *
     * @param rootSpanId the first span of the request in this process; 0 for none
     */
    public static void put(
            long traceIdHigh, long traceIdLow, long spanId, int flags, long rootSpanId) {
        if (!active) return;
        ByteBuffer[] memory = memory(true);
        if (memory != null)
            RecordWriter.put(memory, traceIdHigh, traceIdLow, spanId, flags, rootSpanId);
    }

    /**
     * Sets a tag of the context. A recording contains the tags that its option {@code attributes}
     * names. A JVM can have at most 255 names of tags. A value can have at most 255 bytes of UTF-8;
     * the rest is cut off. All tags of a context together can have at most 594 bytes, including 2
     * for each tag.
     *
     * @param value the value; {@code null} removes the tag
     * @throws NullPointerException if the name is {@code null}, even if contexts are not kept
     * @return true if the tag was set or removed; false if a limit was reached or contexts are not
     *     kept
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

    /** Removes the span and the tags of the thread. */
    public static void clear() {
        if (!active) return;
        ByteBuffer[] memory = memory(false);
        if (memory != null) RecordWriter.clear(memory);
    }

    /** Saves the current context. Closing the returned scope restores it. */
    public static Scope save() {
        return save(active ? memory(true) : null);
    }

    /**
     * Calls {@link #save}, then {@link #put(long, long)}. In recordings with {@code spans=1},
     * closing the scope also writes an event for the span, unless the thread already worked for
     * this span before.
     */
    public static Scope open(long spanId, long rootSpanId) {
        return open(0, 0, spanId, 0, rootSpanId);
    }

    /**
     * Calls {@link #save}, then {@link #put(long, long, long, int, long)}. Closing the scope writes
     * an event, as for {@link #open(long, long)}.
     */
    public static Scope open(
            long traceIdHigh, long traceIdLow, long spanId, int flags, long rootSpanId) {
        ByteBuffer[] memory = active ? memory(true) : null;
        Scope scope = save(memory);
        if (memory == null) return scope;
        scope.begin(memory, traceIdHigh, traceIdLow, spanId, flags, rootSpanId);
        RecordWriter.put(memory, traceIdHigh, traceIdLow, spanId, flags, rootSpanId);
        return scope;
    }

    /** Returns true if contexts are kept. If not, the methods have no effect. */
    public static boolean isActive() {
        return active;
    }

    private static Scope save(ByteBuffer[] memory) {
        return new Scope(memory == null ? null : RecordWriter.save(memory));
    }

    /**
     * Returns the memory of the thread. If it has none, makes it if {@code isMade} is true. Returns
     * {@code null} if {@code isMade} is false or there is no more memory.
     */
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
        if (RecordWriter.countsWantedMemory(memory)) common = memory[RecordWriter.COMMON];
        return memory;
    }

    /** Enlarges the memory of a virtual thread, which at first has no room for long tags. */
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

    // ---- called by the agent through JNI

    // Makes contexts active. The agent can be another copy of the library than before, with another
    // shared buffer.
    private static void activate() {
        common = null;
        active = BufferWriter.isUsable();
    }

    // ---- bound by the agent, which recognises this class by these methods
    // (src/engines/context/context_class.h)

    private static native boolean connect();

    /**
     * Returns the buffers of the calling thread. If it has none, makes them if {@code areMade} is
     * true. Returns {@code null} if {@code areMade} is false or there is no more memory.
     */
    private static native ByteBuffer[] buffers(long virtualId, boolean areMade);

    /** Gives the calling thread a larger block. Returns false if nothing has changed. */
    private static native boolean grow(ByteBuffer[] memory, long virtualId);

    /** Tells the agent that the calling thread has published a record, or none. */
    static native void show(long virtualId);

    /** Tells the agent that the span of the context ends now. */
    private static native void end(long virtualId, long beginNanos);

    /** Returns the key of a tag; -1 if the JVM already has the maximum number of names. */
    private static native int tag(String name);
}
