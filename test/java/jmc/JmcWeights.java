import java.io.File;
import java.util.Map;
import java.util.TreeMap;
import org.openjdk.jmc.common.item.IAccessorKey;
import org.openjdk.jmc.common.item.IItem;
import org.openjdk.jmc.common.item.IItemIterable;
import org.openjdk.jmc.common.item.IMemberAccessor;
import org.openjdk.jmc.common.unit.IQuantity;
import org.openjdk.jmc.common.unit.UnitLookup;
import org.openjdk.jmc.flightrecorder.JfrAttributes;
import org.openjdk.jmc.flightrecorder.JfrLoaderToolkit;

/**
 * Prints key=value lines for each type of events with a stack and a weight, as JDK Mission Control
 * reads them.
 *
 * <p>usage: JmcWeights file
 *
 * <p>events.TYPE: the number of events. weight.TYPE: the sum of their weights, each multiplied by
 * the size if the event has one. first.TYPE and last.TYPE: the times of the first and the last
 * event, in nanoseconds since 1970.
 */
public final class JmcWeights {
  private static final class Totals {
    long events;
    double weight;
    long first = Long.MAX_VALUE;
    long last;
  }

  private JmcWeights() {}

  public static void main(String[] args) throws Exception {
    Map<String, Totals> totals = new TreeMap<>();
    for (IItemIterable chunk : JfrLoaderToolkit.loadEvents(new File(args[0]))) {
      IMemberAccessor<?, IItem> weight = field(chunk, "weight");
      if (weight == null || JfrAttributes.EVENT_STACKTRACE.getAccessor(chunk.getType()) == null) {
        continue;
      }
      IMemberAccessor<?, IItem> size = field(chunk, "size");
      IMemberAccessor<IQuantity, IItem> time = JfrAttributes.START_TIME.getAccessor(chunk.getType());
      Totals all = totals.computeIfAbsent(chunk.getType().getIdentifier(), type -> new Totals());
      for (IItem item : chunk) {
        ++all.events;
        all.weight += number(weight, item) * (size == null ? 1 : number(size, item));
        long at = time.getMember(item).clampedLongValueIn(UnitLookup.EPOCH_NS);
        all.first = Math.min(all.first, at);
        all.last = Math.max(all.last, at);
      }
    }
    totals.forEach(
        (type, all) -> {
          System.out.println("events." + type + "=" + all.events);
          System.out.println("weight." + type + "=" + Math.round(all.weight));
          System.out.println("first." + type + "=" + all.first);
          System.out.println("last." + type + "=" + all.last);
        });
  }

  // Returns the accessor of the field, with the type that the parser chooses; null if there is
  // none.
  private static IMemberAccessor<?, IItem> field(IItemIterable chunk, String name) {
    for (IAccessorKey<?> key : chunk.getType().getAccessorKeys().keySet()) {
      if (key.getIdentifier().equals(name)) return chunk.getType().getAccessor(key);
    }
    return null;
  }

  private static double number(IMemberAccessor<?, IItem> field, IItem item) {
    Object value = field.getMember(item);
    return value instanceof IQuantity
        ? ((IQuantity) value).doubleValue()
        : ((Number) value).doubleValue();
  }
}
