import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;

public class Second {
    private String[] names = new String[100];
    private long[] sums = new long[100];
    private int used = 0;

    private int slot(String name) {
        int at = used;
        while (at > 0 && names[at - 1].compareTo(name) > 0) {
            at--;
        }
        if (at > 0 && names[at - 1].equals(name)) {
            return at - 1;
        }
        for (int i = used; i > at; i--) {
            names[i] = names[i - 1];
            sums[i] = sums[i - 1];
        }
        names[at] = name;
        sums[at] = 0;
        used++;
        return at;
    }

    private void take(String line) {
        int blank = line.indexOf(' ');
        if (blank < 1) {
            return;
        }
        try {
            long value = Long.parseLong(line.substring(blank + 1));
            sums[slot(line.substring(0, blank))] += value;
        } catch (NumberFormatException fault) {
            return;
        }
    }

    private void print() {
        long all = 0;
        for (int i = 0; i < used; i++) {
            String mark = sums[i] < 0 ? " OVERDRAWN" : "";
            System.out.printf("%s: %d%s%n", names[i], sums[i], mark);
            all += sums[i];
        }
        System.out.printf("total: %d%n", all);
    }

    public static void main(String[] args) throws IOException {
        Second ledger = new Second();
        BufferedReader reader = new BufferedReader(new InputStreamReader(System.in));
        for (String line = reader.readLine(); line != null; line = reader.readLine()) {
            ledger.take(line);
        }
        ledger.print();
    }
}
