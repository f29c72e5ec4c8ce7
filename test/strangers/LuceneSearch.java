import org.apache.lucene.analysis.standard.StandardAnalyzer;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.StringField;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.queryparser.classic.QueryParser;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.TopDocs;
import org.apache.lucene.store.ByteBuffersDirectory;

/** Lucene: searches an index of 5000 documents, and builds indexes of 50 documents in between. */
public final class LuceneSearch implements Stranger.Program {
    private static final int WORDS = 4000;

    private final StandardAnalyzer analyzer = new StandardAnalyzer();
    private DirectoryReader reader;

    @Override
    public void start(int threads) throws Exception {
        reader = index(0, 5000);
    }

    @Override
    public long operation(int thread, int number) throws Exception {
        if (number % 10 != 0) return search(reader, number);
        try (DirectoryReader own = index(number, 50)) {
            return search(own, number);
        }
    }

    private DirectoryReader index(int first, int count) throws Exception {
        ByteBuffersDirectory directory = new ByteBuffersDirectory();
        try (IndexWriter writer = new IndexWriter(directory, new IndexWriterConfig(analyzer))) {
            for (int i = first; i < first + count; ++i) {
                Document document = new Document();
                document.add(new StringField("id", "d" + i, Field.Store.YES));
                document.add(new TextField("body", text(i, 200), Field.Store.NO));
                writer.addDocument(document);
            }
        }
        return DirectoryReader.open(directory);
    }

    private static String text(int seed, int length) {
        StringBuilder text = new StringBuilder();
        long random = seed * 0x9E3779B97F4A7C15L + 1;
        for (int i = 0; i < length; ++i) {
            random = random * 6364136223846793005L + 1442695040888963407L;
            // The product of two random numbers makes the first words of the list frequent.
            long word = (random >>> 33) % WORDS * ((random >>> 20) % WORDS) / WORDS;
            text.append('w').append(word).append(' ');
        }
        return text.toString();
    }

    private long search(DirectoryReader from, int number) throws Exception {
        IndexSearcher searcher = new IndexSearcher(from);
        String query = "w" + number % WORDS + " OR (w" + number % 50 + " AND w" + number % 31
                + ") OR \"w" + number % 17 + " w" + number % 13 + "\"";
        TopDocs found = searcher.search(new QueryParser("body", analyzer).parse(query), 10);
        long sum = 0;
        for (ScoreDoc each : found.scoreDocs) {
            sum = Stranger.hash(sum, searcher.storedFields().document(each.doc).get("id"));
            sum = Stranger.hash(sum, Float.floatToIntBits(each.score));
        }
        return sum;
    }

    @Override
    public void stop() throws Exception {
        reader.close();
    }
}
