import java.io.BufferedReader;
import java.io.InputStreamReader;

/**
 * Runs a workload piece by piece, so that windows with and without a profiler can be compared in
 * one JVM. Windows class
 *
 * <p>Prints "ready=", then obeys lines on standard input: each is a number of operations, which the
 * workload does, and is answered by their checksum. The end of the input ends the program.
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
    System.exit(0);  // ends threads that a library has left
  }
}
