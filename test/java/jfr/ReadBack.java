import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import jdk.jfr.ValueDescriptor;
import jdk.jfr.consumer.RecordedClass;
import jdk.jfr.consumer.RecordedClassLoader;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordedMethod;
import jdk.jfr.consumer.RecordedStackTrace;
import jdk.jfr.consumer.RecordedThread;
import jdk.jfr.consumer.RecordedThreadGroup;
import jdk.jfr.consumer.RecordingFile;

/**
 * Prints a recording as the JDK reads it: one line for each event, {@code type field=value...},
 * sorted.
 */
public class ReadBack {
    public static void main(String[] args) throws Exception {
        List<String> lines = new ArrayList<>();
        for (RecordedEvent event : RecordingFile.readAllEvents(Path.of(args[0]))) {
            lines.add(line(event));
        }
        lines.sort(null);
        StringBuilder out = new StringBuilder();
        for (String line : lines) {
            out.append(line).append('\n');
        }
        System.out.write(out.toString().getBytes("UTF-8"));
        System.out.flush();
    }

    private static String line(RecordedEvent event) {
        StringBuilder line = new StringBuilder(event.getEventType().getName());
        for (ValueDescriptor field : event.getFields()) {
            String name = field.getName();
            line.append(' ').append(name).append('=');
            if (name.equals("startTime")) {
                line.append(event.getInstant(name));
            } else if (name.equals("timeSpan")) {
                line.append(event.getDuration(name));
            } else {
                Object value = event.getValue(name);
                line.append(text(value));
            }
        }
        return line.toString();
    }

    private static String text(Object value) {
        if (value instanceof RecordedThread thread) {
            RecordedThreadGroup group = thread.getThreadGroup();
            return String.format("{%s %s %s %s %s}", thread.getOSName(),
                    id(thread.getOSThreadId()), thread.getJavaName(),
                    id(thread.getJavaThreadId()), path(group));
        }
        if (value instanceof RecordedStackTrace stack) {
            StringBuilder text = new StringBuilder(stack.isTruncated() ? "{truncated" : "{");
            for (RecordedFrame frame : stack.getFrames()) {
                text.append(' ').append(frameText(frame));
            }
            return text.append('}').toString();
        }
        if (value instanceof String string && string.length() > 1000) {
            return string.length() + " characters";
        }
        return String.valueOf(value);
    }

    private static String frameText(RecordedFrame frame) {
        RecordedMethod method = frame.getMethod();
        RecordedClass type = method.getType();
        RecordedClassLoader loader = type.getClassLoader();
        return String.format("%s%s.%s%s:%d@%d/%s%s", loader == null ? "" : loader.getName() + "//",
                type.getName(), method.getName(), method.getDescriptor(), frame.getLineNumber(),
                frame.getBytecodeIndex(), frame.getType(), method.isHidden() ? "/hidden" : "");
    }

    /** Returns the id, or "-" if there is none: 0, which newer JDKs report as -1. */
    private static String id(long value) {
        return value > 0 ? String.valueOf(value) : "-";
    }

    private static String path(RecordedThreadGroup group) {
        return group == null ? "-" : path(group.getParent()) + "/" + group.getName();
    }
}
