import java.io.File;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.openjdk.jmc.common.IMCStackTrace;
import org.openjdk.jmc.common.IMCThread;
import org.openjdk.jmc.common.IMCType;
import org.openjdk.jmc.common.item.IItem;
import org.openjdk.jmc.common.item.IItemCollection;
import org.openjdk.jmc.common.item.IItemFilter;
import org.openjdk.jmc.common.item.IItemIterable;
import org.openjdk.jmc.common.item.IMemberAccessor;
import org.openjdk.jmc.common.item.ItemFilters;
import org.openjdk.jmc.common.unit.IQuantity;
import org.openjdk.jmc.common.unit.UnitLookup;
import org.openjdk.jmc.flightrecorder.JfrAttributes;
import org.openjdk.jmc.flightrecorder.JfrLoaderToolkit;
import org.openjdk.jmc.flightrecorder.jdk.JdkAggregators;
import org.openjdk.jmc.flightrecorder.jdk.JdkAttributes;
import org.openjdk.jmc.flightrecorder.jdk.JdkTypeIDs;
import org.openjdk.jmc.flightrecorder.rules.IResult;
import org.openjdk.jmc.flightrecorder.rules.IRule;
import org.openjdk.jmc.flightrecorder.rules.RuleRegistry;
import org.openjdk.jmc.flightrecorder.rules.util.RulesToolkit;

/**
 * Loads a recording as JDK Mission Control does, and prints what JMC finds as key=value lines.
 *
 * <p>usage: JmcCheck file
 *
 * <p>events.TYPE: the number of events. stackless: the number of ExecutionSamples without frames.
 * samples.NAME and tlabs.NAME: the allocated bytes of each class, each thread and "all", as JMC's
 * aggregators sum them over allocation samples, or over objects in and outside of TLABs. rule.ID:
 * the severity of the rule's result. failed.ID: the exception that the rule has thrown.
 */
public final class JmcCheck {
  private static final Set<String> ALLOCATIONS =
      Set.of(
          JdkTypeIDs.OBJ_ALLOC_SAMPLE, JdkTypeIDs.ALLOC_INSIDE_TLAB, JdkTypeIDs.ALLOC_OUTSIDE_TLAB);

  private JmcCheck() {}

  public static void main(String[] args) throws Exception {
    IItemCollection items = JfrLoaderToolkit.loadEvents(new File(args[0]));
    printEvents(items);
    printAllocations(items);
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

  private static void printAllocations(IItemCollection items) {
    Map<String, IItemFilter> parts = new TreeMap<>();
    parts.put("all", ItemFilters.all());
    for (IItemIterable chunk : items.apply(ItemFilters.type(ALLOCATIONS))) {
      IMemberAccessor<IMCType, IItem> type =
          JdkAttributes.OBJECT_CLASS.getAccessor(chunk.getType());
      IMemberAccessor<IMCThread, IItem> thread =
          JfrAttributes.EVENT_THREAD.getAccessor(chunk.getType());
      for (IItem item : chunk) {
        IMCType ofItem = type.getMember(item);
        if (ofItem != null) {
          parts.put(ofItem.getFullName(), ItemFilters.equals(JdkAttributes.OBJECT_CLASS, ofItem));
        }
        IMCThread by = thread.getMember(item);
        if (by != null) {
          parts.put(by.getThreadName(), ItemFilters.equals(JfrAttributes.EVENT_THREAD, by));
        }
      }
    }
    parts.forEach(
        (name, filter) -> {
          IItemCollection part = items.apply(filter);
          printBytes("samples." + name, part.getAggregate(JdkAggregators.OBJ_ALLOC_TOTAL_SUM));
          printBytes("tlabs." + name, part.getAggregate(JdkAggregators.ALLOCATION_TOTAL));
        });
  }

  private static void printBytes(String name, IQuantity bytes) {
    if (bytes == null || bytes.clampedLongValueIn(UnitLookup.BYTE) == 0) return;
    System.out.println(name + "=" + bytes.clampedLongValueIn(UnitLookup.BYTE));
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
