import java.util.zip.CRC32;

/**
 * Computes checksums until the main thread has used `millis` milliseconds of CPU time.
 *
 * <p>usage: Checksums millis
 */
public final class Checksums {
  private Checksums() {}

  public static void main(String[] args) {
    byte[] bytes = new byte[1 << 16];
    long end = Work.cpuNanos() + Long.parseLong(args[0]) * 1_000_000;
    long sum = 0;
    while (Work.cpuNanos() < end) {
      sum += checksum(bytes);
    }
    Work.print("sum", sum);
  }

  private static long checksum(byte[] bytes) {
    CRC32 crc = new CRC32();
    crc.update(bytes);
    return crc.getValue();
  }
}
