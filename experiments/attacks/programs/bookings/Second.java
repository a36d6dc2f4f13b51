import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.Map;
import java.util.TreeMap;

public class Second {
    public static void main(String[] args) throws Exception {
        TreeMap<Integer, Integer> spans = new TreeMap<>();
        BufferedReader reader = new BufferedReader(new InputStreamReader(System.in));
        String line;
        while ((line = reader.readLine()) != null) {
            String[] words = line.split(" ");
            insert(spans, Integer.valueOf(words[0]), Integer.valueOf(words[1]));
        }
        StringBuilder page = new StringBuilder();
        Integer previous = null;
        int widest = 0;
        for (Map.Entry<Integer, Integer> span : spans.entrySet()) {
            page.append(span.getKey()).append('-').append(span.getValue()).append('\n');
            if (previous != null) {
                widest = Math.max(widest, span.getKey() - previous);
            }
            previous = span.getValue();
        }
        System.out.print(page.append("longest gap: ").append(widest).append('\n'));
    }

    private static void insert(TreeMap<Integer, Integer> spans, int low, int high) {
        if (low > high) {
            return;
        }
        Map.Entry<Integer, Integer> other = spans.floorEntry(high);
        while (other != null && other.getValue() >= low) {
            spans.remove(other.getKey());
            low = Math.min(low, other.getKey());
            high = Math.max(high, other.getValue());
            other = spans.floorEntry(high);
        }
        spans.put(low, high);
    }
}
