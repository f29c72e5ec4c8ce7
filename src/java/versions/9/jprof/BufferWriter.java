package jprof;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Publishes a record: from Java 9 on, where the jar has kept this version. */
final class BufferWriter {
    private static final VarHandle LONGS =
            MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

    private BufferWriter() {}

    static boolean isUsable() {
        return true;
    }

    /**
     * Stores 8 bytes at the begin of {@code slot} at once, after all stores before and before all
     * stores after, for a signal handler on this thread.
     */
    static void publish(ByteBuffer slot, long value) {
        LONGS.setRelease(slot, 0, value);
        VarHandle.storeStoreFence();
    }
}
