import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Paths;

/**
 * Two threads: reader-0 uses nearly all of its CPU time in the kernel, where it reads zeros in
 * large blocks; busy-0 uses none in the kernel.
 *
 * <p>usage: KernelReader cpuMillis
 *
 * <p>Truth in nanoseconds: cpu.reader-0 and cpu.busy-0, each thread's clock at its end.
 */
public final class KernelReader {
  private KernelReader() {}

  public static void main(String[] args) throws InterruptedException {
    long cpuNanos = Long.parseLong(args[0]) * 1_000_000;
    Thread reader =
        Work.start(
            "reader-0",
            () -> {
              read(cpuNanos);
              Work.print("cpu.reader-0", Work.cpuNanos());
            });
    Thread busy =
        Work.start(
            "busy-0",
            () -> {
              Work.burn(cpuNanos);
              Work.print("cpu.busy-0", Work.cpuNanos());
            });
    reader.join();
    busy.join();
  }

  private static void read(long cpuNanos) {
    ByteBuffer buffer = ByteBuffer.allocateDirect(1 << 20);
    try (FileChannel zeros = FileChannel.open(Paths.get("/dev/zero"))) {
      while (Work.cpuNanos() < cpuNanos) {
        buffer.clear();
        zeros.read(buffer);
      }
    } catch (IOException unexpected) {
      throw new IllegalStateException(unexpected);
    }
  }
}
