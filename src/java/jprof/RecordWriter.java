package jprof;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Writes the two records of one thread. Only that thread calls the methods.
 *
 * <p>A change fills the record that is not published, and then publishes it. A signal handler that
 * interrupts the thread therefore sees the context either before or after the change. All state is
 * in the thread's memory, so that copies of this class in several class loaders write the same
 * records. include/profiler/thread_context.h and src/sigsafe/sampling/context_block.h define
 * offsets and format.
 */
final class RecordWriter {
    // Indexes of the three buffers that make up the memory of a thread. An array of ByteBuffer
    // keeps no class loader of the program alive.
    static final int BLOCK = 0;
    static final int SLOT = 1;
    /** The buffer that all threads share. */
    static final int COMMON = 2;

    // Offsets in the shared buffer: SPANS is a number that is not 0 if spans are recorded as
    // events; WANTED counts how often any copy of these classes has asked for memory for a context.
    private static final int SPANS = 0;
    private static final int WANTED = 8;

    // Offsets in a block: its virtual thread, its address, whether it is exported, and its records.
    private static final int VIRTUAL_THREAD = 0;
    private static final int ADDRESS = 16;
    private static final int EXPORTED = 32;
    private static final int RECORDS = 64;
    private static final int FIRST = RECORDS + 32;

    // Offsets in a record.
    private static final int OWN_SPAN = -32;
    private static final int OWN_ROOT = -24;
    private static final int TAGS_SIZE = -16;
    private static final int TRACE_HIGH = 0;
    private static final int TRACE_LOW = 8;
    private static final int SPAN = 16;
    private static final int HEAD = 24;
    private static final int FLAGS = 25;
    private static final int ATTRIBUTES = 28;

    private static final boolean SWAPS = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN;

    private static final int VALID = 1;
    private static final int ROOT_BYTES = 18;
    /** The bytes of a record except its tags. */
    private static final int FIXED_BYTES = ATTRIBUTES - OWN_SPAN + ROOT_BYTES;
    /** The first two bytes of the attribute of the local root: the key 0 and the length 16. */
    private static final short ROOT_HEAD = SWAPS ? (short) 0x1000 : 0x0010;
    private static final int MAX_VALUE = 255;

    private RecordWriter() {}

    /** Returns the length of a record. A block has two records of the same length. */
    private static int recordBytes(ByteBuffer block) {
        return block.capacity() - RECORDS >> 1;
    }

    /** Returns the offset of the published record; 0 if none is published. */
    private static int published(ByteBuffer[] memory) {
        return published(memory, memory[BLOCK].getLong(ADDRESS));
    }

    private static int published(ByteBuffer[] memory, long base) {
        long address = memory[SLOT].getLong(0);
        int second = second(memory[BLOCK]);
        return address == base + FIRST ? FIRST : address == base + second ? second : 0;
    }

    private static int second(ByteBuffer block) {
        return FIRST + recordBytes(block);
    }

    /** Returns the offset of the record that is not published. */
    private static int other(ByteBuffer block, int published) {
        return published == FIRST ? second(block) : FIRST;
    }

    private static void publish(ByteBuffer[] memory, long record) {
        BufferWriter.publish(memory[SLOT], record);
        if (memory[BLOCK].getInt(EXPORTED) != 0) ThreadContext.show(virtualThread(memory));
    }

    /** Returns the span id of the published context; 0 if there is none. */
    static long span(ByteBuffer[] memory) {
        int from = published(memory);
        return from == 0 ? 0 : memory[BLOCK].getLong(from + OWN_SPAN);
    }

    /**
     * Returns the id of the virtual thread to which the memory belongs; 0 for a platform thread.
     */
    static long virtualThread(ByteBuffer[] memory) {
        return memory[BLOCK].getLong(VIRTUAL_THREAD);
    }

    static boolean recordsSpans(ByteBuffer[] memory) {
        return memory[COMMON].getLong(SPANS) != 0;
    }

    /** Returns true if the agent has a shared buffer, which agents of older versions lack. */
    static boolean countsWantedMemory(ByteBuffer[] memory) {
        return memory[COMMON].capacity() > WANTED;
    }

    static long wanted(ByteBuffer common) {
        return common.getLong(WANTED);
    }

    static void put(
            ByteBuffer[] memory, long traceHigh, long traceLow, long span, int flags, long root) {
        ByteBuffer block = memory[BLOCK];
        long base = block.getLong(ADDRESS);
        int from = published(memory, base);
        int to = other(block, from);
        int tags = from == 0 ? 0 : block.getInt(from + TAGS_SIZE);
        copyTags(block, from, to, tags);
        finish(memory, base, to, traceHigh, traceLow, span, flags, root, tags);
    }

    static void clear(ByteBuffer[] memory) {
        publish(memory, 0);
    }

    /**
     * Sets a tag, or removes it if the value is {@code null}. Returns false if there is no room.
     */
    static boolean putTag(ByteBuffer[] memory, int key, String value) {
        ByteBuffer block = memory[BLOCK];
        int from = published(memory);
        int to = other(block, from);
        int size = from == 0 ? 0 : copyTagsBut(block, key, from, to);
        if (value != null) {
            size = append(block, to, size, key, value);
            if (size == 0) return false;
        }
        if (from == 0) {
            finish(memory, block.getLong(ADDRESS), to, 0, 0, 0, 0, 0, size);
        } else {
            finishAs(memory, from, to, size);
        }
        return true;
    }

    /** Returns the published context, for {@link #restore}; {@code null} if there is none. */
    static byte[] save(ByteBuffer[] memory) {
        ByteBuffer block = memory[BLOCK];
        int from = published(memory);
        if (from == 0) return null;
        byte[] saved = new byte[ATTRIBUTES - OWN_SPAN + block.getInt(from + TAGS_SIZE)];
        for (int i = 0; i < saved.length; ++i) saved[i] = block.get(from + OWN_SPAN + i);
        return saved;
    }

    static void restore(ByteBuffer[] memory, byte[] saved) {
        if (saved == null) {
            clear(memory);
            return;
        }
        ByteBuffer block = memory[BLOCK];
        int to = other(block, published(memory));
        for (int i = 0; i < saved.length; ++i) block.put(to + OWN_SPAN + i, saved[i]);
        finishAs(memory, to, to, saved.length - (ATTRIBUTES - OWN_SPAN));
    }

    // Finishes and publishes the record at `to`, with the ids of the record at `from`.
    private static void finishAs(ByteBuffer[] memory, int from, int to, int tags) {
        ByteBuffer block = memory[BLOCK];
        finish(memory, block.getLong(ADDRESS), to, word(block, from + TRACE_HIGH),
                word(block, from + TRACE_LOW), block.getLong(from + OWN_SPAN),
                block.get(from + FLAGS), block.getLong(from + OWN_ROOT), tags);
    }

    // Finishes and publishes the record at `to`. Its tags have been written before.
    private static void finish(ByteBuffer[] memory, long base, int to, long traceHigh,
            long traceLow, long span, int flags, long root, int tags) {
        ByteBuffer block = memory[BLOCK];
        block.putLong(to + OWN_SPAN, span);
        block.putLong(to + OWN_ROOT, root);
        block.putInt(to + TAGS_SIZE, tags);
        boolean hasTrace = (traceHigh | traceLow) != 0 && span != 0;
        putWord(block, to + TRACE_HIGH, hasTrace ? traceHigh : 0);
        putWord(block, to + TRACE_LOW, hasTrace ? traceLow : 0);
        putWord(block, to + SPAN, hasTrace ? span : 0);
        int size = tags;
        if (root != 0) {
            int at = to + ATTRIBUTES + tags;
            block.putShort(at, ROOT_HEAD);
            putWord(block, at + 2, hex((int) (root >>> 32)));
            putWord(block, at + 10, hex((int) root));
            size += ROOT_BYTES;
        }
        block.putInt(to + HEAD, head(hasTrace ? flags : 0, size));
        publish(memory, base + to);
    }

    private static int head(int flags, int size) {
        return SWAPS ? VALID | (flags & 0xff) << 8 | size << 16
                     : VALID << 24 | (flags & 0xff) << 16 | size;
    }

    /** Returns the 8 hexadecimal digits of a number, the first one in the highest byte. */
    static long hex(int number) {
        long digits = number & 0xffffffffL;
        digits = (digits | digits << 16) & 0x0000ffff0000ffffL;
        digits = (digits | digits << 8) & 0x00ff00ff00ff00ffL;
        digits = (digits | digits << 4) & 0x0f0f0f0f0f0f0f0fL;
        long letters = (digits + 0x0606060606060606L >>> 4) & 0x0101010101010101L;
        return digits + 0x3030303030303030L + letters * ('a' - '0' - 10);
    }

    // Stores a word in network byte order, like the ids of W3C Trace Context.
    private static void putWord(ByteBuffer block, int at, long word) {
        block.putLong(at, SWAPS ? Long.reverseBytes(word) : word);
    }

    private static long word(ByteBuffer block, int at) {
        long word = block.getLong(at);
        return SWAPS ? Long.reverseBytes(word) : word;
    }

    // Copies whole words. This can write up to 7 bytes after the last tag, for which a record has
    // room.
    private static void copyTags(ByteBuffer block, int from, int to, int size) {
        for (int at = ATTRIBUTES; at < ATTRIBUTES + size; at += 8) {
            block.putLong(to + at, block.getLong(from + at));
        }
    }

    private static int copyTagsBut(ByteBuffer block, int key, int from, int to) {
        int end = block.getInt(from + TAGS_SIZE);
        int size = 0;
        for (int at = 0; at < end;) {
            int length = 2 + (block.get(from + ATTRIBUTES + at + 1) & 0xff);
            if ((block.get(from + ATTRIBUTES + at) & 0xff) != key) {
                for (int i = 0; i < length; ++i) {
                    block.put(to + ATTRIBUTES + size + i, block.get(from + ATTRIBUTES + at + i));
                }
                size += length;
            }
            at += length;
        }
        return size;
    }

    // Appends a tag and returns the new size of the tags; 0 if there is no room. A value of more
    // than MAX_VALUE bytes is cut off at the end of a character.
    private static int append(ByteBuffer block, int to, int size, int key, String value) {
        int start = to + ATTRIBUTES + size;
        int limit = Math.min(MAX_VALUE, recordBytes(block) - FIXED_BYTES - size - 2);
        if (limit < 0) return 0;
        int length = 0;
        for (int i = 0; i < value.length();) {
            int point = value.codePointAt(i);
            i += Character.charCount(point);
            if (point >= Character.MIN_SURROGATE && point <= Character.MAX_SURROGATE) point = '?';
            int bytes = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
            if (length + bytes > MAX_VALUE) break;
            if (length + bytes > limit) return 0;
            encode(block, start + 2 + length, point, bytes);
            length += bytes;
        }
        block.put(start, (byte) key);
        block.put(start + 1, (byte) length);
        return size + 2 + length;
    }

    private static void encode(ByteBuffer block, int at, int point, int bytes) {
        if (bytes == 1) {
            block.put(at, (byte) point);
            return;
        }
        for (int i = bytes - 1; i > 0; --i, point >>= 6)
            block.put(at + i, (byte) (0x80 | point & 0x3f));
        block.put(at, (byte) (0xf00 >> bytes | point));
    }
}
