/**
 * A thread whose stack goes from Java to C, to Java and to C again: run, enter, back, burn.
 *
 * <p>usage: NestedCalls millis
 *
 * <p>Truth: cpu.nested, the CPU time that the innermost C function used.
 */
public final class NestedCalls {
  private NestedCalls() {}

  public static void main(String[] args) throws InterruptedException {
    System.loadLibrary("nested_calls");
    long nanos = Long.parseLong(args[0]) * 1_000_000;
    Thread thread = Work.start("nested", () -> Work.print("cpu.nested", enter(nanos)));
    thread.join();
  }

  static long back(long nanos) {
    return burn(nanos);
  }

  private static native long enter(long nanos);

  private static native long burn(long nanos);
}
