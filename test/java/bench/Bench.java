/**
 * Runs a workload with a fixed amount of work: first a warm-up, then the measured part.
 *
 * <p>usage: Bench class operations
 *
 * <p>Prints operations, wall.nanos and cpu.nanos (of the process) of the measured part; begin.nanos
 * and end.nanos, its start and end in nanoseconds of the epoch; and checksum, which depends only on
 * the results.
 */
public final class Bench {
  private static final int WARM_UP_PART = 4;

  private Bench() {}

  public static void main(String[] args) throws Exception {
    Workload workload = Workload.named(args[0]);
    long operations = Long.parseLong(args[1]);
    Work.processCpuNanos();  // loads the classes that the call needs
    workload.prepare();
    if (operations >= WARM_UP_PART) {
      workload.run(operations / WARM_UP_PART);
    }
    long begin = System.currentTimeMillis();
    long cpu = Work.processCpuNanos();
    long wall = System.nanoTime();
    long checksum = workload.run(operations);
    wall = System.nanoTime() - wall;
    cpu = Work.processCpuNanos() - cpu;
    long end = System.currentTimeMillis();
    workload.close();
    Work.print("operations", operations);
    Work.print("wall.nanos", wall);
    Work.print("cpu.nanos", cpu);
    Work.print("begin.nanos", begin * 1_000_000);
    Work.print("end.nanos", end * 1_000_000);
    Work.print("checksum", checksum);
    System.exit(0);  // a library might have left threads running
  }
}
