import java.util.ArrayList;
import java.util.List;
import java.util.Scanner;

/** The shortest way through a maze. */
public class First {
    static int[] find(List<String> rows, char sign) {
        for (int y = 0; y < rows.size(); y++) {
            for (int x = 0; x < rows.get(y).length(); x++) {
                if (rows.get(y).charAt(x) == sign) {
                    return new int[] {x, y};
                }
            }
        }
        return null;
    }

    static boolean inside(List<String> rows, int x, int y) {
        return y >= 0 && y < rows.size() && x >= 0 && x < rows.get(y).length();
    }

    static boolean isFree(List<String> rows, int x, int y) {
        return inside(rows, x, y) && rows.get(y).charAt(x) != '#';
    }

    static int stepsBetween(List<String> rows, int[] start, int[] goal) {
        boolean[][] seen = new boolean[rows.size()][rows.get(0).length()];
        int[][] moves = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};
        List<int[]> edge = new ArrayList<>();
        int steps = 0;
        edge.add(start);
        seen[start[1]][start[0]] = true;
        // One ring of places after the other.
        while (!edge.isEmpty()) {
            List<int[]> following = new ArrayList<>();
            for (int[] place : edge) {
                if (place[0] == goal[0] && place[1] == goal[1]) {
                    return steps;
                }
                for (int[] move : moves) {
                    int x = place[0] + move[0];
                    int y = place[1] + move[1];
                    if (isFree(rows, x, y) && !seen[y][x]) {
                        seen[y][x] = true;
                        following.add(new int[] {x, y});
                    }
                }
            }
            edge = following;
            steps++;
        }
        return -1;
    }

    public static void main(String[] args) {
        Scanner input = new Scanner(System.in);
        List<String> rows = new ArrayList<>();
        while (input.hasNextLine()) {
            rows.add(input.nextLine());
        }
        int steps = stepsBetween(rows, find(rows, 'S'), find(rows, 'E'));
        if (steps < 0) {
            System.out.println("no way");
        } else {
            System.out.println("steps: " + steps);
        }
    }
}
