import java.util.Arrays;
import java.util.Scanner;
import java.util.stream.Collectors;

public class Second {
    static final int FAR = 1 << 20;
    private final int width;
    private final char[] cells;
    private final int[] cost;

    Second(String[] lines) {
        width = lines[0].length();
        cells = String.join("", lines).toCharArray();
        cost = new int[cells.length];
        Arrays.fill(cost, FAR);
    }

    void walk(int at, int spent) {
        if (at < 0 || at >= cells.length || cells[at] == '#' || cost[at] <= spent) {
            return;
        }
        cost[at] = spent;
        walk(at - width, spent + 1);
        walk(at + width, spent + 1);
        if (at % width != 0) {
            walk(at - 1, spent + 1);
        }
        if (at % width != width - 1) {
            walk(at + 1, spent + 1);
        }
    }

    String answer() {
        String flat = new String(cells);
        walk(flat.indexOf('S'), 0);
        int best = cost[flat.indexOf('E')];
        return best == FAR ? "no way" : "steps: " + best;
    }

    public static void main(String[] args) {
        String text = new Scanner(System.in).useDelimiter("\\A").next();
        String[] lines = text.lines().filter(line -> !line.isBlank()).collect(Collectors.toList()).toArray(new String[0]);
        System.out.println(new Second(lines).answer());
    }
}
