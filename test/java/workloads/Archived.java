import java.io.File;
import java.lang.management.ManagementFactory;
import java.util.Arrays;

/**
 * Gives commands to the agent, one after another, in a JVM that might write an archive of its
 * classes.
 *
 * <p>usage: Archived agentLibrary nativeFolder command...; with -Ddump=FILE, jcmd dumps an archive
 * at the end
 *
 * <p>Truth: answer.N, the answer to command N; length.N, a result after command N, which must be 4.
 */
public final class Archived {
  private Archived() {}

  public static void main(String[] args) throws Exception {
    Profiler profiler = new Profiler(args[0], new File(args[1]));
    for (int i = 2; i < args.length; i++) {
      Work.print("answer." + (i - 2), profiler.execute(args[i]).replace('\n', '|'));
      Runnable[] lambda = {() -> Work.print("lambda", 1)};
      Thread thread = new Thread(lambda[0]);
      thread.start();
      thread.join();
      Work.print("length." + (i - 2), Arrays.asList("a", "bcd").stream().mapToInt(String::length).sum());
    }
    String dump = System.getProperty("dump");
    if (dump == null) return;
    String self = ManagementFactory.getRuntimeMXBean().getName().split("@")[0];
    File jcmd = new File(System.getProperty("java.home"), "bin/jcmd");
    new ProcessBuilder(jcmd.getPath(), self, "VM.cds", "dynamic_dump", dump)
        .inheritIO()
        .start()
        .waitFor();
  }
}
