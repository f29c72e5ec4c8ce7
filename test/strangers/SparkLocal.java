import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.functions;

/** Spark in the process (local[2]): a range, a shuffle by key and sums, with generated code. */
public final class SparkLocal implements Stranger.Program {
    private SparkSession session;

    @Override
    public void start(int threads) {
        session = SparkSession.builder()
                .master("local[2]")
                .appName("strangers")
                .config("spark.ui.enabled", "false")
                .config("spark.driver.host", "127.0.0.1")
                .config("spark.driver.bindAddress", "127.0.0.1")
                .config("spark.sql.shuffle.partitions", "4")
                .config("spark.sql.warehouse.dir",
                        Stranger.folder().resolve("warehouse").toString())
                .getOrCreate();
        session.sparkContext().setLogLevel("ERROR");
    }

    @Override
    public long operation(int thread, int number) {
        Dataset<Row> sums = session.range(20_000)
                .withColumn("key", functions.expr("(id * 7919 + " + number + ") % 17"))
                .groupBy("key")
                .agg(functions.sum("id"), functions.count("id"))
                .orderBy("key");
        List<String> rows = new ArrayList<>();
        for (Row each : sums.collectAsList()) rows.add(each.toString());
        return Stranger.hash(rows.size(), String.join("\n", rows));
    }

    @Override
    public void stop() {
        session.stop();
    }
}
