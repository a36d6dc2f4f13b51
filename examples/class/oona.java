import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A chronicle of deeds. */
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
        run(new Chronicle());
    }
}

class Chronicle implements Bank.Ledger {
  enum Outcome { ACCEPTED, EMPTY, TOO_POOR }

  record Deed(String source, String target, long cents, Outcome outcome)
  {
    Stream<String> sides()
  {
      return Stream.of(source, target);
    }

    long change(String name)
  {
      return (name.equals(target) ? cents : 0) - (name.equals(source) ? cents : 0);
    }
  }

  private final List<Deed> deeds = new ArrayList<>();
  private final Predicate<Deed> valid = deed -> deed.outcome() == Outcome.ACCEPTED;

  private long worthOf(String name)
  {
    return deeds.stream().filter(valid).mapToLong(deed -> deed.change(name)).sum();
  }

  private Outcome decide(String source, long cents)
  {
    return switch (Long.signum(cents))
  {
      case 1 -> source.equals("cash") || worthOf(source) >= cents ? Outcome.ACCEPTED : Outcome.TOO_POOR;
      default -> Outcome.EMPTY;
    };
  }

  @Override
  public boolean book(String source, String target, long cents)
  {
    var deed = new Deed(source, target, cents, decide(source, cents));
    deeds.add(deed);
    return valid.test(deed);
  }

  @Override
  public List<String> statement()
  {
    var sorting = Comparator.comparingLong(this::worthOf).reversed().thenComparing(Comparator.naturalOrder());
    return deeds.stream()
      .filter(valid)
      .flatMap(Deed::sides)
      .distinct()
      .sorted(sorting)
      .map(name -> "%s: %.2f".formatted(name, worthOf(name) / 100.0))
      .collect(Collectors.toList());
  }
}
