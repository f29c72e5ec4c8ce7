/**
 * Calls a small method again and again.
 *
 * <p>usage: CallCost calls rounds
 *
 * <p>Prints ns.call, the CPU time of a call and its part of the loop: the least over all rounds,
 * after as many rounds of warm-up.
 */
public final class CallCost {
  private CallCost() {}

  static int small(int number) {
    return number * 31 + (number >>> 3);
  }

  public static void main(String[] args) {
    int calls = Integer.parseInt(args[0]);
    int rounds = Integer.parseInt(args[1]);
    double least = Double.MAX_VALUE;
    for (int round = 0; round < 2 * rounds; round++) {
      long cpu = Work.cpuNanos();
      run(calls);
      double each = (double) (Work.cpuNanos() - cpu) / calls;
      if (round >= rounds) least = Math.min(least, each);
    }
    Work.print("ns.call", least);
  }

  private static void run(int calls) {
    int sum = 0;
    for (int i = 0; i < calls; i++) sum = small(sum + i);
    Work.sink = sum;
  }
}
