import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Everything is a stream of records; a booking that is refused stays in the list with a reason. */
class Bank {
    interface Ledger {
        boolean book(String from, String to, long cents);

        List<String> statement();
    }

    static List<String[]> read(BufferedReader reader) throws IOException {
        List<String[]> bookings = new ArrayList<>();
        String line = reader.readLine();
        while (line != null) {
            String[] parts = line.trim().split("\\s+");
            if (parts.length == 3 && !parts[0].startsWith("#")) {
                bookings.add(parts);
            }
            line = reader.readLine();
        }
        return bookings;
    }

    static void run(Ledger ledger) throws IOException {
        int refused = 0;
        for (String[] parts : read(new BufferedReader(new InputStreamReader(System.in)))) {
            if (!ledger.book(parts[0], parts[1], Long.parseLong(parts[2]))) {
                refused++;
            }
        }
        for (String row : ledger.statement()) {
            System.out.println(row);
        }
        System.out.println("refused: " + refused);
    }

    public static void main(String[] arguments) throws IOException {
        run(new Streams());
    }
}

class Streams implements Bank.Ledger {
    enum Verdict { ACCEPTED, EMPTY, TOO_POOR }

    record Entry(String giver, String taker, long cents, Verdict verdict) {
        Stream<String> people() {
            return Stream.of(giver, taker);
        }

        long effectOn(String person) {
            return (person.equals(taker) ? cents : 0) - (person.equals(giver) ? cents : 0);
        }
    }

    private final List<Entry> history = new ArrayList<>();
    private final Predicate<Entry> accepted = entry -> entry.verdict() == Verdict.ACCEPTED;

    private long wealth(String person) {
        return history.stream().filter(accepted).mapToLong(entry -> entry.effectOn(person)).sum();
    }

    private Verdict judge(String giver, long cents) {
        return switch (Long.signum(cents)) {
            case 1 -> giver.equals("cash") || wealth(giver) >= cents ? Verdict.ACCEPTED : Verdict.TOO_POOR;
            default -> Verdict.EMPTY;
        };
    }

    @Override
    public boolean book(String giver, String taker, long cents) {
        var entry = new Entry(giver, taker, cents, judge(giver, cents));
        history.add(entry);
        return accepted.test(entry);
    }

    @Override
    public List<String> statement() {
        var order = Comparator.comparingLong(this::wealth).reversed().thenComparing(Comparator.naturalOrder());
        return history.stream()
            .filter(accepted)
            .flatMap(Entry::people)
            .distinct()
            .sorted(order)
            .map(person -> "%s: %.2f".formatted(person, wealth(person) / 100.0))
            .collect(Collectors.toList());
    }
}
