import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.reflect.Modifier;
import java.nio.file.Paths;
import java.time.Duration;
import java.time.Instant;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import jdk.jfr.Timespan;
import jdk.jfr.Timestamp;
import jdk.jfr.ValueDescriptor;
import jdk.jfr.consumer.RecordedClass;
import jdk.jfr.consumer.RecordedClassLoader;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordedMethod;
import jdk.jfr.consumer.RecordedObject;
import jdk.jfr.consumer.RecordedStackTrace;
import jdk.jfr.consumer.RecordedThread;
import jdk.jfr.consumer.RecordedThreadGroup;
import jdk.jfr.consumer.RecordingFile;

/**
 * Prints recordings as text that a test can parse. For each file it prints a line "# path"; then a
 * line for each event, with its type and its name=value fields, separated by tabs; and at the end a
 * line for each method that a frame names: "= class.method", its modifiers in Java's words, and the
 * name of its class loader.
 *
 * <p>Times are nanoseconds of the epoch, and durations are nanoseconds. Nested fields have names
 * with dots. A reference that resolves to nothing is {@code <null>}. A stack is {@code
 * class.method:line} joined by ';', innermost frame first. Inside a value the characters '%', ';',
 * tab and line ends are written as %25, %3B, %09, %0A and %0D.
 */
public final class RecordingReader {
  private static final String NULL = "<null>";

  private static final int MAX_STACKS = 20_000;

  private final PrintStream out;
  private final Set<String> methods = new LinkedHashSet<>();

  // The events of a chunk share the objects that the JDK makes for their stacks.
  private final Map<RecordedStackTrace, StackText> stacks = new IdentityHashMap<>();

  private RecordingReader(PrintStream out) {
    this.out = out;
  }

  public static void main(String[] paths) throws IOException {
    FileOutputStream stdout = new FileOutputStream(FileDescriptor.out);
    PrintStream buffered = new PrintStream(stdout, false, "UTF-8");
    RecordingReader reader = new RecordingReader(buffered);
    for (String path : paths) {
      reader.print(path);
    }
    buffered.flush();
  }

  private void print(String path) throws IOException {
    StringBuilder text = new StringBuilder("# ").append(path).append('\n');
    methods.clear();
    try (RecordingFile file = new RecordingFile(Paths.get(path))) {
      while (file.hasMoreEvents()) {
        print(file.readEvent(), text);
        if (stacks.size() > MAX_STACKS) {
          stacks.clear();
        }
        if (text.length() > 1 << 16) {
          out.append(text);
          text.setLength(0);
        }
      }
    }
    for (String method : methods) {
      text.append("= ").append(method).append('\n');
    }
    out.append(text);
  }

  private static String describe(RecordedMethod method) {
    RecordedClassLoader loader = method.getType().getClassLoader();
    StringBuilder line = new StringBuilder();
    escape(method.getType().getName() + "." + method.getName(), line);
    line.append('\t').append(Modifier.toString(method.getModifiers())).append('\t');
    escape(loader == null || loader.getName() == null ? NULL : loader.getName(), line);
    return line.toString();
  }

  private void print(RecordedEvent event, StringBuilder text) {
    text.append(event.getEventType().getName());
    for (ValueDescriptor field : event.getFields()) {
      append(event, field, "", text);
    }
    text.append('\n');
  }

  private void append(
      RecordedObject object, ValueDescriptor field, String prefix, StringBuilder text) {
    appendValue(prefix + field.getName(), valueOf(object, field), text);
  }

  private static Object valueOf(RecordedObject object, ValueDescriptor field) {
    // In old recordings of async-profiler, these annotations are not marked as content types.
    if (field.getAnnotation(Timestamp.class) != null) {
      Instant instant = object.getInstant(field.getName());
      return instant.getEpochSecond() * 1_000_000_000L + instant.getNano();
    }
    if (field.getAnnotation(Timespan.class) != null) {
      return nanos(object.getDuration(field.getName()));
    }
    return object.getValue(field.getName());
  }

  // Returns the duration in nanoseconds: Long.MAX_VALUE if it does not fit, such as "forever", and
  // Long.MIN_VALUE if there is none.
  private static long nanos(Duration duration) {
    try {
      return duration.toNanos();
    } catch (ArithmeticException tooLong) {
      return duration.isNegative() ? Long.MIN_VALUE : Long.MAX_VALUE;
    }
  }

  private void appendValue(String name, Object value, StringBuilder text) {
    if (value instanceof RecordedThread) {
      appendThread(name, (RecordedThread) value, text);
    } else if (value instanceof RecordedStackTrace) {
      appendStack(name, stacks.computeIfAbsent((RecordedStackTrace) value, this::textOf), text);
    } else if (value instanceof RecordedClass) {
      appendText(name, ((RecordedClass) value).getName(), text);
    } else if (value instanceof RecordedObject) {
      RecordedObject object = (RecordedObject) value;
      for (ValueDescriptor field : object.getFields()) {
        append(object, field, name + ".", text);
      }
    } else {
      appendText(name, value == null ? null : value.toString(), text);
    }
  }

  private static String pathOf(RecordedThreadGroup group) {
    if (group == null) return "";
    return pathOf(group.getParent()) + "/" + group.getName();
  }

  private static void appendThread(String name, RecordedThread thread, StringBuilder text) {
    appendText(name + ".osName", thread.getOSName(), text);
    appendText(name + ".osThreadId", String.valueOf(thread.getOSThreadId()), text);
    appendText(name + ".javaName", thread.getJavaName(), text);
    appendText(name + ".javaThreadId", String.valueOf(thread.getJavaThreadId()), text);
    RecordedThreadGroup group = thread.getThreadGroup();
    appendText(name + ".group", group == null ? null : group.getName(), text);
    appendText(name + ".groupPath", pathOf(group), text);
    if (thread.hasField("virtual")) {
      appendText(name + ".virtual", String.valueOf(thread.getBoolean("virtual")), text);
    }
  }

  /** The texts of a stack's fields. */
  private static final class StackText {
    final boolean isTruncated;
    final StringBuilder frames = new StringBuilder();
    final StringBuilder types = new StringBuilder();

    StackText(boolean isTruncated) {
      this.isTruncated = isTruncated;
    }
  }

  // Returns the text of the stack, and remembers the methods that its frames name.
  private StackText textOf(RecordedStackTrace stack) {
    StackText text = new StackText(stack.isTruncated());
    for (RecordedFrame frame : stack.getFrames()) {
      if (text.frames.length() > 0) {
        text.frames.append(';');
        text.types.append(';');
      }
      escape(frameName(frame), text.frames);
      escape(String.valueOf(frame.getType()), text.types);
      RecordedMethod method = frame.getMethod();
      if (method != null && method.getType() != null) {
        methods.add(describe(method));
      }
    }
    return text;
  }

  private static void appendStack(String name, StackText stack, StringBuilder text) {
    appendText(name + ".truncated", String.valueOf(stack.isTruncated), text);
    text.append('\t').append(name).append(".frames=").append(stack.frames);
    text.append('\t').append(name).append(".types=").append(stack.types);
  }

  private static String frameName(RecordedFrame frame) {
    RecordedMethod method = frame.getMethod();
    if (method == null) {
      return NULL;
    }
    String type = method.getType() == null ? NULL : String.valueOf(method.getType().getName());
    return type + "." + method.getName() + ":" + frame.getLineNumber();
  }

  private static void appendText(String name, String value, StringBuilder text) {
    text.append('\t').append(name).append('=');
    escape(value == null ? NULL : value, text);
  }

  private static void escape(String value, StringBuilder text) {
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      if (c == '%' || c == ';' || c == '\t' || c == '\n' || c == '\r') {
        text.append(String.format("%%%02X", (int) c));
      } else {
        text.append(c);
      }
    }
  }
}
