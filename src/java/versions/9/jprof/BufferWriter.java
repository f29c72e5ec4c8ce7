package jprof;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Publishes a record on Java 9 or later, if the jar still has this version of the class. */
final class BufferWriter {
    private static final VarHandle LONGS =
            MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

    private BufferWriter() {}

    static boolean isUsable() {
        return true;
    }

    /**
     * Stores 8 bytes at the start of {@code slot} by a single store. Is ordered for signal handlers
     * on this thread: a handler that sees this store sees all earlier ones, and a handler that sees
     * a later store sees this one.
     */
    static void publish(ByteBuffer slot, long value) {
        LONGS.setRelease(slot, 0, value);
        VarHandle.storeStoreFence();
    }
}
