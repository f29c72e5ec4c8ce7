import com.sun.jna.Callback;
import com.sun.jna.Library;
import com.sun.jna.Memory;
import com.sun.jna.Native;
import com.sun.jna.Pointer;
import com.sun.jna.ptr.PointerByReference;
import java.lang.ref.Reference;
import java.util.concurrent.atomic.AtomicLong;

/**
 * JNA: sorts in C that call Java, which sorts in C again; and threads that C starts and that call
 * Java.
 */
public final class JnaCallbacks implements Stranger.Program {
    private static final int NUMBERS = 200;
    private static final int INNER_NUMBERS = 40;
    private static final int THREADS = 2;

    interface Comparator extends Callback {
        int compare(Pointer one, Pointer other);
    }

    interface Body extends Callback {
        Pointer run(Pointer argument);
    }

    interface C extends Library {
        void qsort(Pointer base, long count, long size, Comparator comparator);

        int pthread_create(PointerByReference thread, Pointer attributes, Body body, Pointer argument);

        int pthread_join(Pointer thread, PointerByReference result);
    }

    /** The same library, called by native methods that JNA registers. */
    static final class Direct {
        static native long strtol(Pointer text, Pointer end, int base);

        static native long labs(long number);
    }

    private C c;

    @Override
    public void start(int threads) {
        c = Native.load("c", C.class);
        Native.register(Direct.class, "c");
    }

    private static Memory numbers(int seed, int count) {
        Memory memory = new Memory(4L * count);
        for (int i = 0; i < count; ++i) memory.setInt(4L * i, (i * 7919 + seed * 31) % 10007 - 5000);
        return memory;
    }

    private long sorted(Memory numbers, Comparator comparator) {
        int count = (int) (numbers.size() / 4);
        c.qsort(numbers, count, 4, comparator);
        long sum = 0;
        for (int i = 0; i < count; ++i) sum = Stranger.hash(sum, numbers.getInt(4L * i));
        return sum;
    }

    private static int compare(Pointer one, Pointer other) {
        return Integer.compare(one.getInt(0), other.getInt(0));
    }

    /** Compares two numbers. Before that, sorts other numbers in C. */
    private int compareAfterSort(int number, Pointer one, Pointer other) {
        try (Memory inner = numbers(number, INNER_NUMBERS)) {
            sorted(inner, JnaCallbacks::compare);
        }
        return compare(one, other);
    }

    @Override
    public long operation(int thread, int number) {
        long sum = 0;
        try (Memory outer = numbers(number, NUMBERS); Memory few = numbers(number + 1, 16)) {
            sum = sorted(outer, JnaCallbacks::compare);
            sum = Stranger.hash(sum, sorted(few, (one, other) -> compareAfterSort(number, one, other)));
        }
        try (Memory text = new Memory(32)) {
            for (int i = 0; i < 50; ++i) {
                text.setString(0, Integer.toString(-number * 100 - i));
                sum = Stranger.hash(sum, Direct.labs(Direct.strtol(text, null, 10)));
            }
        }
        return Stranger.hash(sum, inThreads(number));
    }

    private long inThreads(int number) {
        AtomicLong total = new AtomicLong();
        Body body = argument -> {
            Native.detach(false); // otherwise JNA tries to detach at the end of each comparison
            try (Memory mine = numbers(number, INNER_NUMBERS)) {
                total.addAndGet(sorted(mine, JnaCallbacks::compare));
            }
            Native.detach(true);
            return null;
        };
        Pointer[] started = new Pointer[THREADS];
        for (int i = 0; i < THREADS; ++i) {
            PointerByReference found = new PointerByReference();
            if (c.pthread_create(found, null, body, null) != 0) {
                throw new IllegalStateException("pthread_create");
            }
            started[i] = found.getValue();
        }
        for (Pointer each : started) c.pthread_join(each, null);
        Reference.reachabilityFence(body); // JNA frees the closure of an unreachable callback
        return total.get();
    }

    @Override
    public void stop() {}
}
