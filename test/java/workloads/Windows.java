import java.lang.reflect.Method;

/**
 * Uses CPU time outside and inside of windows in turns. Calls of the program open and close the
 * windows.
 *
 * <p>usage: Windows WAY rounds millis
 *
 * <p>WAY: plain, thrown (opened by a method that throws), elsewhere (closed by another thread),
 * unclosed (the last window stays open), twice (opened twice, closed twice), turned (one method
 * opens and closes in turns), virtual (one virtual thread opens and another one closes), native (by
 * functions of a library, after a line is read), nativeTurned (like native, but one function does
 * both), hot (like native, but before that the opening function is called without a pause for a
 * second of CPU time, twice, each time after a line is read), held (the last window and the program
 * stay until a line is read).
 *
 * <p>Truth: calls.first and calls.second, the calls of the opening function in each of the two
 * seconds; cpu.inside and cpu.outside, the CPU time of the working thread; windows, their number;
 * cpu.process, at the end.
 */
public final class Windows {
  private static long insideNanos;
  private static long outsideNanos;

  private Windows() {}

  static void open() {
    Work.sink++;
  }

  static void openAndThrow() {
    Work.sink++;
    throw new IllegalStateException("opened");
  }

  static void close() {
    Work.sink++;
  }

  static void turn() {
    Work.sink++;
  }

  private static native void openNative();

  private static native void closeNative();

  static void inside(long nanos) {
    long before = Work.cpuNanos();
    Work.burn(nanos);
    insideNanos += Work.cpuNanos() - before;
  }

  static void outside(long nanos) {
    long before = Work.cpuNanos();
    Work.burn(nanos);
    outsideNanos += Work.cpuNanos() - before;
  }

  private static void begin(String way) throws Exception {
    if (way.equals("virtual")) {
      runVirtually(Windows::open);
    } else if (way.startsWith("native")) {
      openNative();
    } else if (way.equals("turned")) {
      turn();
    } else if (way.equals("thrown")) {
      try {
        openAndThrow();
      } catch (IllegalStateException opened) {
        Work.sink++;
      }
    } else {
      open();
      if (way.equals("twice")) open();
    }
  }

  private static void finish(String way) throws Exception {
    if (way.equals("virtual")) {
      runVirtually(Windows::close);
    } else if (way.equals("turned")) {
      turn();
    } else if (way.equals("nativeTurned")) {
      openNative();
    } else if (way.equals("native")) {
      closeNative();
    } else if (way.equals("elsewhere")) {
      Thread closer = new Thread(Windows::close, "closer");
      closer.start();
      closer.join();
    } else {
      close();
      if (way.equals("twice")) close();
    }
  }

  /** Returns how many calls fit into a second of CPU time. */
  private static long openForASecond() {
    long end = Work.cpuNanos() + 1_000_000_000;
    long calls = 0;
    while (Work.cpuNanos() < end) {
      for (int i = 0; i < 1000; i++) openNative();
      calls += 1000;
    }
    return calls;
  }

  private static void runVirtually(Runnable body) throws Exception {
    Method start = Thread.class.getMethod("startVirtualThread", Runnable.class);
    ((Thread) start.invoke(null, body)).join();
  }

  public static void main(String[] args) throws Exception {
    String way = args[0];
    int rounds = Integer.parseInt(args[1]);
    long nanos = Long.parseLong(args[2]) * 1_000_000;
    boolean isNative = way.startsWith("native") || way.equals("hot");
    if (isNative) System.loadLibrary("window_calls");
    if (way.equals("hot")) {
      openForASecond();  // compiles the code
      Work.print("calls.first", openForASecond());
      System.in.read();
      Work.print("calls.second", openForASecond());
    }
    if (isNative) {
      Work.print("ready", 1);
      System.in.read();
      if (way.equals("hot")) way = "native";
    }
    for (int round = 0; round < rounds; ++round) {
      outside(nanos);
      begin(way);
      inside(nanos);
      if ((way.equals("unclosed") || way.equals("held")) && round == rounds - 1) break;
      finish(way);
    }
    Work.print("cpu.inside", insideNanos);
    Work.print("cpu.outside", outsideNanos);
    Work.print("windows", rounds);
    Work.print("cpu.process", Work.processCpuNanos());
    if (way.equals("held")) System.in.read();
  }
}
