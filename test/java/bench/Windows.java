import java.io.BufferedReader;
import java.io.InputStreamReader;

/**
 * Runs a workload piece by piece, so that pieces (windows) with and without a profiler can be
 * compared in one JVM.
 *
 * <p>usage: Windows class
 *
 * <p>Prints "ready=". Each line on standard input is a number of operations. The workload executes
 * them, and their checksum is printed. The end of the input ends the program.
 */
public final class Windows {
  private Windows() {}

  public static void main(String[] args) throws Exception {
    Workload workload = Workload.named(args[0]);
    workload.prepare();
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
    Work.print("ready", "");
    String operations;
    while ((operations = in.readLine()) != null) {
      Work.print("checksum", workload.run(Long.parseLong(operations)));
    }
    System.exit(0);  // a library might have left threads running
  }
}
