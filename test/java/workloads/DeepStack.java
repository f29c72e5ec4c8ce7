/**
 * Burns CPU time below many frames, on a thread "deep". DeepStack depth cpuMillis
 *
 * <p>The stack is run, descend x depth, bottom, then Work.burn. Truth: cpu.deep.
 */
public final class DeepStack {
  private static final long STACK_BYTES = 256L << 20;

  private DeepStack() {}

  public static void main(String[] args) throws InterruptedException {
    int depth = Integer.parseInt(args[0]);
    long cpuNanos = Long.parseLong(args[1]) * 1_000_000;
    Runnable body = () -> Work.print("cpu.deep", descend(depth, cpuNanos));
    Thread deep = new Thread(null, body, "deep", STACK_BYTES);
    deep.start();
    deep.join();
  }

  static long descend(int left, long cpuNanos) {
    return left <= 1 ? bottom(cpuNanos) : descend(left - 1, cpuNanos);
  }

  static long bottom(long cpuNanos) {
    Work.burn(cpuNanos);
    return Work.cpuNanos();
  }
}
