/**
 * Ends the JVM in the requested way, while a daemon thread "burner" is still busy.
 *
 * <p>usage: Exits way cpuMillis
 *
 * <p>Ways: return (exit code 0), exit (3), throw (1), halt (4), wait (prints "ready=" and waits to
 * be killed). Truth: cpu.burner, its CPU nanoseconds just before the end.
 */
public final class Exits {
  private Exits() {}

  public static void main(String[] args) throws InterruptedException {
    String way = args[0];
    long cpuNanos = Long.parseLong(args[1]) * 1_000_000;
    Thread burner = Work.startDaemon("burner", Work::burnForever);
    long used;
    while ((used = Work.cpuNanos(burner)) < cpuNanos) {
      Thread.sleep(1);
    }
    Work.print("cpu.burner", used);
    end(way);
  }

  private static void end(String way) throws InterruptedException {
    switch (way) {
      case "return":
        return;
      case "exit":
        System.exit(3);
        return;
      case "throw":
        throw new IllegalStateException("thrown by main");
      case "halt":
        Runtime.getRuntime().halt(4);
        return;
      case "wait":
        Work.print("ready", "");
        Thread.currentThread().join();
        return;
      default:
        throw new IllegalArgumentException(way);
    }
  }
}
