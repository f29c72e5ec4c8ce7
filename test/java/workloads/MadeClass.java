import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.Arrays;

/**
 * A class file that is written byte by byte, as no compiler would. It has static methods that
 * return an int.
 */
final class MadeClass {
  private static final int PUBLIC = 1;
  private static final int STATIC = 8;
  private static final int SUPER = 0x20;
  private static final int OPERANDS = 2;
  private static final byte NOP = 0;
  private static final byte ICONST_1 = 4;
  private static final byte LCONST_0 = 9;
  private static final byte IRETURN = (byte) 0xac;

  // Indexes in the constant pool, which starts at 1, of the entries that every class has.
  private static final int THIS = 2;
  private static final int OBJECT = 4;
  private static final int CODE = 5;
  private static final int DESCRIPTOR = 6;
  private static final int FIRST_METHOD = 7;

  private final String name;
  private final int major;
  private final ByteArrayOutputStream names = new ByteArrayOutputStream();
  private final ByteArrayOutputStream methods = new ByteArrayOutputStream();
  private int count;

  /**
   * Makes a class whose class file has the version `major`, from 45 on. No method needs a stack
   * map.
   */
  MadeClass(String name, int major) {
    this.name = name;
    this.major = major;
  }

  /** Adds a method that returns 1 and has `bytes` bytes of code. */
  MadeClass with(String method, int bytes) throws IOException {
    byte[] code = new byte[bytes];
    Arrays.fill(code, NOP);
    code[bytes - 2] = ICONST_1;
    code[bytes - 1] = IRETURN;
    return with(method, code);
  }

  /** Adds a method that every verifier rejects. */
  MadeClass withBroken(String method) throws IOException {
    return with(method, new byte[] {LCONST_0, IRETURN});
  }

  private MadeClass with(String method, byte[] code) throws IOException {
    text(new DataOutputStream(names), method);
    DataOutputStream out = new DataOutputStream(methods);
    out.writeShort(PUBLIC | STATIC);
    out.writeShort(FIRST_METHOD + count++);
    out.writeShort(DESCRIPTOR);
    out.writeShort(1);
    out.writeShort(CODE);
    out.writeInt(12 + code.length);
    out.writeShort(OPERANDS);
    out.writeShort(0); // number of locals
    out.writeInt(code.length);
    out.write(code);
    out.writeShort(0); // number of handlers
    out.writeShort(0); // number of attributes
    return this;
  }

  byte[] bytes() throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(bytes);
    out.writeInt(0xcafebabe);
    out.writeShort(major == 45 ? 3 : 0);
    out.writeShort(major);
    out.writeShort(FIRST_METHOD + count);
    classNamed(out, name, THIS);
    classNamed(out, "java/lang/Object", OBJECT);
    text(out, "Code");
    text(out, "()I");
    names.writeTo(out);
    out.writeShort(PUBLIC | SUPER);
    out.writeShort(THIS);
    out.writeShort(OBJECT);
    out.writeShort(0); // number of interfaces
    out.writeShort(0); // number of fields
    out.writeShort(count);
    methods.writeTo(out);
    out.writeShort(0); // number of attributes
    return bytes.toByteArray();
  }

  /** Defines the class in its own loader, without linking it. */
  Class<?> define() throws IOException {
    return FreshClass.define(name.replace('/', '.'), bytes());
  }

  Class<?> defineInLoaderOf(Class<?> neighbour) throws IOException {
    return FreshClass.defineInLoaderOf(neighbour, name.replace('/', '.'), bytes());
  }

  private static void classNamed(DataOutputStream out, String name, int index)
      throws IOException {
    text(out, name);
    out.writeByte(7);
    out.writeShort(index - 1);
  }

  private static void text(DataOutputStream out, String text) throws IOException {
    out.writeByte(1);
    out.writeUTF(text);
  }
}
