/**
 * Repeats a block of code with 0, 1 or 2 units of additional work: chains of dependent
 * multiplications.
 *
 * <p>usage: CausalUnits units seconds
 *
 * <p>Truth: rounds, the number of blocks; cpu.main, the CPU nanoseconds of the thread meanwhile.
 */
public final class CausalUnits {
  private static final int MULTIPLICATIONS = 512;
  private static final long FACTOR = 6364136223846793005L;

  private CausalUnits() {}

  public static void main(String[] args) {
    int units = Integer.parseInt(args[0]);
    long seconds = Long.parseLong(args[1]);
    long value = run(1, units, 20_000); // compiles everything
    long end = System.nanoTime() + seconds * 1_000_000_000;
    long start = Work.cpuNanos();
    long rounds = 0;
    for (; System.nanoTime() < end; rounds += 1000) value = run(value, units, 1000);
    Work.print("cpu.main", Work.cpuNanos() - start);
    Work.print("rounds", rounds);
    Work.sink += value == 0 ? 1 : 0;
  }

  private static long run(long value, int units, int rounds) {
    for (int i = 0; i < rounds; i++) value = block(value, units);
    return value;
  }

  private static long block(long value, int units) {
    value = before(value);
    if (units > 0) value = unit(value);
    if (units > 1) value = unit(value);
    return after(value);
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
