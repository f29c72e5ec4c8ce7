/**
 * Runs three blocks of code in turns, with 0, 1 and 2 units of additional work: chains of dependent
 * multiplications. A turn of a block takes about a millisecond, so that a processor whose speed
 * changes changes it for all blocks.
 *
 * <p>usage: CausalUnits seconds of CPU time
 *
 * <p>Truth: rounds, how often each block ran; cpu.none, cpu.one and cpu.two, the CPU nanoseconds of
 * the thread in each block.
 */
public final class CausalUnits {
  private static final int MULTIPLICATIONS = 512;
  private static final int ROUNDS_OF_TURN = 1000;
  private static final int WARM_UP_TURNS = 20; // compiles everything
  private static final long FACTOR = 6364136223846793005L;

  private CausalUnits() {}

  public static void main(String[] args) {
    long seconds = Long.parseLong(args[0]);
    long value = 1;
    for (int i = 0; i < WARM_UP_TURNS; i++) value = runTwo(runOne(runNone(value)));
    long none = 0;
    long one = 0;
    long two = 0;
    long rounds = 0;
    long time = Work.cpuNanos();
    long end = time + seconds * 1_000_000_000;
    for (; time < end; rounds += ROUNDS_OF_TURN) {
      long start = time;
      value = runNone(value);
      long afterNone = Work.cpuNanos();
      value = runOne(value);
      long afterOne = Work.cpuNanos();
      value = runTwo(value);
      time = Work.cpuNanos();
      none += afterNone - start;
      one += afterOne - afterNone;
      two += time - afterOne;
    }
    Work.print("cpu.none", none);
    Work.print("cpu.one", one);
    Work.print("cpu.two", two);
    Work.print("rounds", rounds);
    Work.sink += value == 0 ? 1 : 0;
  }

  private static long runNone(long value) {
    for (int i = 0; i < ROUNDS_OF_TURN; i++) value = none(value);
    return value;
  }

  private static long runOne(long value) {
    for (int i = 0; i < ROUNDS_OF_TURN; i++) value = one(value);
    return value;
  }

  private static long runTwo(long value) {
    for (int i = 0; i < ROUNDS_OF_TURN; i++) value = two(value);
    return value;
  }

  private static long none(long value) {
    return after(before(value));
  }

  private static long one(long value) {
    return after(unit(before(value)));
  }

  private static long two(long value) {
    return after(unit(unit(before(value))));
  }

  private static long before(long value) {
    for (int i = 0; i < MULTIPLICATIONS; i++) value = value * FACTOR + 1;
    return value;
  }

  private static long unit(long value) {
    for (int i = 0; i < MULTIPLICATIONS; i++) value = value * FACTOR + 3;
    return value;
  }

  private static long after(long value) {
    for (int i = 0; i < MULTIPLICATIONS; i++) value = value * FACTOR + 5;
    return value;
  }
}
