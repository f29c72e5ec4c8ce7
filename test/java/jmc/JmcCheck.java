import java.io.File;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.openjdk.jmc.common.IMCStackTrace;
import org.openjdk.jmc.common.item.IItem;
import org.openjdk.jmc.common.item.IItemCollection;
import org.openjdk.jmc.common.item.IItemIterable;
import org.openjdk.jmc.common.item.IMemberAccessor;
import org.openjdk.jmc.flightrecorder.JfrAttributes;
import org.openjdk.jmc.flightrecorder.JfrLoaderToolkit;
import org.openjdk.jmc.flightrecorder.rules.IResult;
import org.openjdk.jmc.flightrecorder.rules.IRule;
import org.openjdk.jmc.flightrecorder.rules.RuleRegistry;
import org.openjdk.jmc.flightrecorder.rules.util.RulesToolkit;

/**
 * Loads a recording as JDK Mission Control does and prints key=value lines: events.TYPE, the number
 * of events; stackless, of ExecutionSamples without frames; rule.ID, the severity of each rule's
 * result; failed.ID, what a rule threw. JmcCheck file
 */
public final class JmcCheck {
  private JmcCheck() {}

  public static void main(String[] args) throws Exception {
    IItemCollection items = JfrLoaderToolkit.loadEvents(new File(args[0]));
    printEvents(items);
    printRules(items);
  }

  private static void printEvents(IItemCollection items) {
    Map<String, Long> counts = new TreeMap<>();
    long stackless = 0;
    for (IItemIterable chunk : items) {
      String type = chunk.getType().getIdentifier();
      if (chunk.hasItems()) {
        counts.merge(type, chunk.getItemCount(), Long::sum);
      }
      if (type.equals("jdk.ExecutionSample")) {
        stackless += countStackless(chunk);
      }
    }
    counts.forEach((type, count) -> System.out.println("events." + type + "=" + count));
    System.out.println("stackless=" + stackless);
  }

  private static long countStackless(IItemIterable samples) {
    IMemberAccessor<IMCStackTrace, IItem> stack =
        JfrAttributes.EVENT_STACKTRACE.getAccessor(samples.getType());
    return samples.stream()
        .map(stack::getMember)
        .filter(trace -> trace == null || trace.getFrames().isEmpty())
        .count();
  }

  private static void printRules(IItemCollection items) throws InterruptedException {
    Map<IRule, Future<IResult>> results =
        RulesToolkit.evaluateParallel(RuleRegistry.getRules(), items, null, 1);
    for (Map.Entry<IRule, Future<IResult>> entry : results.entrySet()) {
      String id = entry.getKey().getId();
      try {
        System.out.println("rule." + id + "=" + entry.getValue().get().getSeverity().name());
      } catch (ExecutionException thrown) {
        System.out.println("failed." + id + "=" + thrown.getCause());
      }
    }
  }
}
