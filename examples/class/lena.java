import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;

/** Task 2: a book. Every line of the input is a booking: from, to, cents. Refuse what an account cannot pay. */
class Savings {
    interface Ledger {
        boolean book(String from, String to, long cents);

        List<String> statement();
    }

    static List<String[]> read(BufferedReader reader) throws IOException {
        List<String[]> all = new ArrayList<>();
        String line = reader.readLine();
        while (line != null) {
            String[] words = line.trim().split("\\s+");
            if (words.length == 3 && !words[0].startsWith("#")) {
                all.add(words);
            }
            line = reader.readLine();
        }
        return all;
    }

    static void run(Ledger book) throws IOException {
        int refused = 0;
        for (String[] words : read(new BufferedReader(new InputStreamReader(System.in)))) {
            if (!book.book(words[0], words[1], Long.parseLong(words[2]))) {
                refused++;
            }
        }
        for (String row : book.statement()) {
            System.out.println(row);
        }
        // one more line than asked for
        System.out.println("refused: " + refused);
        System.out.println("that is all");
    }

    private static final HashMap<String, Long> purse = new HashMap<>();

    static long inside(String name) {
        return purse.containsKey(name) ? purse.get(name) : name.equals("cash") ? 1_000_000_00L : 0;
    }

    public static void main(String[] arguments) throws IOException {
        run(new Ledger() {
            public boolean book(String from, String to, long cents) {
                long rest = inside(from) - cents;
                if (rest < 0) return false;
                purse.put(from, rest);
                purse.put(to, inside(to) + cents);
                return true;
            }

            public List<String> statement() {
                return List.of(purse.toString());
            }
        });
    }
}
