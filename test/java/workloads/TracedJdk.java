import java.lang.ref.PhantomReference;
import java.lang.ref.ReferenceQueue;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongUnaryOperator;

/**
 * Calls methods of the JDK that nothing else in the JVM calls, and many that all code calls.
 *
 * <p>usage: TracedJdk rounds threads virtualThreads seconds: repeats the rounds until the seconds
 * have passed
 *
 * <p>Truth: calls.METHOD; wrong, the number of wrong results.
 */
public final class TracedJdk {
  private static final ConcurrentHashMap<String, Long> SHARED = new ConcurrentHashMap<>();
  private static final AtomicLong rounds = new AtomicLong();
  private static final AtomicLong wrong = new AtomicLong();

  private TracedJdk() {}

  static long twice(long number) {
    return 2 * number;
  }

  private static void work(int count) {
    BitSet bits = new BitSet();
    HashMap<String, Long> own = new HashMap<>();
    PhantomReference<Object> phantom = new PhantomReference<>(own, new ReferenceQueue<>());
    LongUnaryOperator lambda = number -> number + count;
    try {
      Method method = TracedJdk.class.getDeclaredMethod("twice", long.class);
      for (int i = 0; i < count; i++) {
        String key = "key " + i % 100;
        SHARED.put(key, (long) i);
        own.put(key, lambda.applyAsLong(i));
        own.replace(key, (long) i);
        bits.flip(i % 100);
        boolean isEven = Boolean.logicalXor(i % 2 == 0, false);
        long twice = (Long) method.invoke(null, (long) i);
        if (phantom.get() != null || SHARED.mappingCount() > 100) wrong.incrementAndGet();
        if (twice != 2L * i || own.get(key) != i || isEven != (i % 2 == 0)) wrong.incrementAndGet();
      }
    } catch (ReflectiveOperationException | StackOverflowError broken) {
      wrong.incrementAndGet();
    }
    rounds.addAndGet(count);
  }

  public static void main(String[] args) throws Exception {
    int count = Integer.parseInt(args[0]);
    int virtual = Integer.parseInt(args[2]);
    long end = System.nanoTime() + Long.parseLong(args[3]) * 1_000_000_000L;
    do {
      List<Thread> threads = new ArrayList<>();
      for (int i = 0; i < Integer.parseInt(args[1]); i++) {
        threads.add(Work.start("worker-" + i, () -> work(count)));
      }
      for (int i = 0; i < virtual; i++) {
        Method start = Thread.class.getMethod("startVirtualThread", Runnable.class);
        threads.add((Thread) start.invoke(null, (Runnable) () -> work(count / 10)));
      }
      Work.join(threads);
    } while (System.nanoTime() < end);
    for (String method : new String[] {"replace", "flip", "logicalXor", "get", "mappingCount"}) {
      Work.print("calls." + method, rounds.get());
    }
    Work.print("wrong", wrong.get());
  }
}
