/**
 * Computes under many frames until the agent walk_probe has walked its stack often enough.
 *
 * <p>usage: WalkedDeep depth
 *
 * <p>The stack is run, descend x depth, then bottom.
 */
public final class WalkedDeep {
  private static final long STACK_BYTES = 512L << 20;
  private static final int TURNS_TO_COMPILE = 30_000;

  private WalkedDeep() {}

  public static void main(String[] args) throws InterruptedException {
    int depth = Integer.parseInt(args[0]);
    Thread deep = new Thread(null, () -> run(depth), "deep", STACK_BYTES);
    deep.start();
    deep.join();
  }

  private static void run(int depth) {
    for (int i = 0; i < TURNS_TO_COMPILE; i += depth) {
      Work.sink += descend(depth, 1);
    }
    WalkProbe.begin();
    while (!WalkProbe.isDone()) {
      Work.sink += descend(depth, 2_000);
    }
  }

  private static long descend(int left, int turns) {
    return left <= 1 ? bottom(turns) : descend(left - 1, turns) + left;
  }

  private static long bottom(int turns) {
    long value = Work.sink;
    for (int turn = 0; turn < turns && !(turns > 1 && WalkProbe.isDone()); turn++) {
      for (int i = 0; i < 20_000; i++) {
        value = value * 6364136223846793005L + 1442695040888963407L;
        value ^= value >>> 29;
      }
    }
    return value;
  }
}
