import java.io.IOException;
import java.io.InputStream;
import java.util.function.LongUnaryOperator;
import java.util.zip.CRC32;
import java.util.zip.Deflater;

/**
 * Ways to spend CPU time that a profiler must be able to distinguish. Each has a method, which
 * Truth calls and which is on the stack while its time is counted. The methods to be inlined are
 * called in loops of Truth, so that they have no frame of their own.
 */
final class Parts {
  private static final int STEPS = 1000;  // enough to make the loop around a call negligible
  private static final byte[] TEXT = new byte[16 << 10];
  private static final byte[] COPY = new byte[256 << 10];
  private static final byte[] TARGET = new byte[COPY.length];
  private static final byte[] READ = new byte[16 << 10];
  private static final LongUnaryOperator[] OPERATORS = Operators.all();

  static {
    for (int i = 0; i < TEXT.length; i++) {
      TEXT[i] = (byte) (i * i >>> 5);
    }
  }

  private Parts() {}

  static long inlinedFirst(long value) {
    long v = value;
    for (int i = 0; i < STEPS; i++) {
      v = (v ^ v >>> 31) * 0xBF58476D1CE4E5B9L + 3;
      v = (v ^ v >>> 29) * 0x94D049BB133111EBL + 5;
    }
    return v;
  }

  static long inlinedSecond(long value) {
    long v = value;
    for (int i = 0; i < STEPS; i++) {
      v = (v | 1) * v + 0x5851F42D4C957F2DL;
      v = (v | 3) * v + 0x14057B7EF767814FL;
    }
    return v;
  }

  static long nativeCode(long times) {
    long sum = 0;
    byte[] out = new byte[TEXT.length];
    for (long i = 0; i < times; i++) {
      Deflater deflater = new Deflater();
      deflater.setInput(TEXT);
      deflater.finish();
      sum += deflater.deflate(out);
      deflater.end();
    }
    return sum;
  }

  static long intrinsic(long times) {
    CRC32 crc = new CRC32();
    for (long i = 0; i < times; i++) {
      crc.update(TEXT);
    }
    return crc.getValue();
  }

  static long copying(long times) {
    for (long i = 0; i < times; i++) {
      System.arraycopy(COPY, 0, TARGET, 0, COPY.length);
    }
    return TARGET[0];
  }

  static long megamorphic(long times) {
    long value = times;
    for (long i = 0; i < times; i++) {
      value = OPERATORS[(int) (i % OPERATORS.length)].applyAsLong(value);
    }
    return value;
  }

  static long recursive(long times) {
    long sum = 0;
    for (long i = 0; i < times; i++) {
      sum += Tree.sum(12);
    }
    return sum;
  }

  // Separate classes, because a sample counts for the innermost method of the class Parts.
  private static final class Tree {
    static long sum(int depth) {
      return depth == 0 ? 1 : sum(depth - 1) + sum(depth - 1) + depth;
    }
  }

  private static final class Operators {
    static LongUnaryOperator[] all() {
      return new LongUnaryOperator[] {
        value -> value * 31 + 7,
        value -> Long.rotateLeft(value, 7) ^ 5,
        value -> value ^ value >>> 13,
        value -> Long.reverse(value) + 1,
        value -> value + Long.bitCount(value),
      };
    }
  }

  private static final class Failing {
    static void call(int depth) {
      if (depth == 0) {
        throw new IllegalStateException("on purpose");
      }
      call(depth - 1);
    }
  }

  static long exceptional(long times) {
    long caught = 0;
    for (long i = 0; i < times; i++) {
      try {
        Failing.call(10);
      } catch (IllegalStateException expected) {
        caught++;
      }
    }
    return caught;
  }

  static long systemCall(long times, InputStream zeros) throws IOException {
    long sum = 0;
    for (long i = 0; i < times; i++) {
      sum += zeros.read(READ);
    }
    return sum;
  }
}
