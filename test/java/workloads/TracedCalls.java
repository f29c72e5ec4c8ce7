import java.io.File;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntUnaryOperator;

/**
 * Makes exact numbers of calls of many kinds.
 *
 * <p>usage: TracedCalls calls threads virtualThreads slowMillis [agentLibrary nativeFolder
 * command]; the command is given to the agent before the first call
 *
 * <p>Truth: calls.METHOD; exceptions.METHOD, for methods that throw; slow.METHOD, the number of
 * calls that slept.
 */
public final class TracedCalls {
  private static final int DEPTH = 10;

  private TracedCalls() {}

  /** A class whose constructor throws at every second call. */
  static final class Made {
    final int number;

    Made(int number) {
      if (number % 2 == 0) throw new IllegalStateException("even");
      this.number = number;
    }
  }

  /** Has a bridge method compareTo(Object), which calls compareTo(Box). */
  static final class Box implements Comparable<Box> {
    @Override
    public int compareTo(Box other) {
      return other == this ? 0 : 1;
    }
  }

  static int recurse(int depth) {
    return depth == 0 ? 0 : 1 + recurse(depth - 1);
  }

  static int fail(int number) {
    if (number % 2 == 0) throw new IllegalStateException("even");
    return number;
  }

  static synchronized int lock(int number) {
    return number + 1;
  }

  static long share(int number) {
    return number ^ 0x55L;
  }

  static void rest(int millis) throws InterruptedException {
    Thread.sleep(millis);
  }

  static void restAndFail() throws InterruptedException {
    Thread.sleep(1);
    throw new UnsupportedOperationException();
  }

  static void callRest(int millis) throws InterruptedException {
    rest(millis);
  }

  static int never(int number) {
    return number;
  }

  @SuppressWarnings({"unchecked", "rawtypes"})
  public static void main(String[] args) throws Exception {
    int calls = Integer.parseInt(args[0]);
    int threads = Integer.parseInt(args[1]);
    int virtualThreads = Integer.parseInt(args[2]);
    if (args.length > 4) {
      Work.print("answer", new Profiler(args[4], new File(args[5])).execute(args[6]));
    }
    int failures = 0;
    int unmade = 0;
    IntUnaryOperator lambda = number -> number + 7;
    Comparable bridged = new Box();
    Box box = new Box();
    long sum = 0;
    for (int i = 0; i < calls; i++) {
      sum += recurse(DEPTH) + lock(i) + lambda.applyAsInt(i) + bridged.compareTo(box);
      try {
        sum += fail(i);
      } catch (IllegalStateException even) {
        ++failures;
      }
      try {
        sum += new Made(i).number;
      } catch (IllegalStateException even) {
        ++unmade;
      }
    }
    List<Thread> started = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      Thread thread = new Thread(() -> callShare(calls), "sharer-" + i);
      thread.start();
      started.add(thread);
    }
    Work.join(started);
    started.clear();
    if (virtualThreads != 0) {
      Method start = Thread.class.getMethod("startVirtualThread", Runnable.class);
      for (int i = 0; i < virtualThreads; i++) {
        started.add((Thread) start.invoke(null, (Runnable) TracedCalls::callShareAndYield));
      }
    }
    Work.join(started);
    callRest(Integer.parseInt(args[3]));
    callRest(0);
    try {
      restAndFail();
    } catch (UnsupportedOperationException expected) {
      Work.sink = sum;
    }

    Work.print("calls.recurse", (long) calls * (DEPTH + 1));
    Work.print("calls.lock", calls);
    Work.print("calls.lambda", calls);
    Work.print("calls.compareTo", 2L * calls);
    Work.print("calls.fail", calls);
    Work.print("exceptions.fail", failures);
    Work.print("calls.<init>", calls);
    Work.print("exceptions.<init>", unmade);
    Work.print("calls.share", (long) threads * calls + 10L * virtualThreads);
  }

  private static void callShare(int calls) {
    long sum = 0;
    for (int i = 0; i < calls; i++) sum += share(i);
    Work.sink = sum;
  }

  private static void callShareAndYield() {
    for (int i = 0; i < 10; i++) {
      Work.sink = share(i);
      Thread.yield();
    }
  }
}
