/** Computes powers for a given time, by code that the JVM itself generates. usage: Powers MILLIS */
public final class Powers {
  private Powers() {}

  public static void main(String[] args) {
    long end = System.nanoTime() + Long.parseLong(args[0]) * 1_000_000;
    double sum = 0;
    while (System.nanoTime() < end) {
      for (int i = 0; i < 1000; i++) sum += Math.pow(1 + 1 / (i + 2.5), sum % 7 + 2.3);
    }
    Work.print("sum", (long) sum);
  }
}
